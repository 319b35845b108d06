from cclab import COPKMeans, PCKMeans
from cclab.apps import workbench
from cclab.apps.page import trying_all
from cclab.reach import try_all
from cclab.widgets.model.wrapping import inside, reaches
from tests.reach.stretched import known_about, stretched
from tests.widgets.sessions import act


def page_with_links(monkeypatch):
    X, truth = stretched(90)
    page = workbench(X, PCKMeans(3), seed=0)
    page.session.constrain(constraints=known_about(truth, 40))
    quick = [PCKMeans(3), COPKMeans(3)]
    monkeypatch.setattr(
        trying_all, "try_all", lambda problem, k, cancelled: try_all(problem, k, among=quick, cancelled=cancelled)
    )
    return page


def test_the_menu_of_solvers_begins_with_try_all_and_a_click_takes_one(monkeypatch):
    page = page_with_links(monkeypatch)
    page.solver_menu.toggle()
    act(page.solver_menu.rows, "try-all")
    assert not page.solver_menu.is_open
    assert page.trying.is_open
    shown = "".join(html for _, html in page.trying.table.rows)
    assert "COPKMeans" in shown
    assert "%" in shown
    assert "All are tried" in page.trying._bar.value
    act(page.trying.table, "take", "COPKMeans")
    assert isinstance(page.session.solver, COPKMeans)
    assert not page.trying.is_open
    page.close()


def test_menus_and_forms_are_about_the_solver_inside(monkeypatch):
    page = page_with_links(monkeypatch)
    page.watch.tabs.value = "Links"
    (part,) = page.watch.parts["Links"]
    part.switch.value = True
    assert page.solver_menu.widget.description == "PCKMeans"
    page.drawer.open()
    assert "n_clusters" in page.drawer.fields
    page.solver_menu.choose("COPKMeans")
    assert reaches(page.session.solver)
    assert isinstance(inside(page.session.solver), COPKMeans)
    page.close()
