"""Pictures from names, files, bytes and arrays, good and bad."""

import io
import socket
import struct
import zlib

import numpy as np
import pytest
import tifffile
from PIL import EpsImagePlugin, Image

from cclab.datasets import limits
from cclab.images import Picture, image_names, load_image
from cclab.images.phantom import phantom

GREYS = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20


def png(array, **options):
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "PNG", **options)
    return buffer.getvalue()


@pytest.fixture
def colours():
    return np.random.default_rng(0).integers(0, 256, size=(9, 7, 3), dtype=np.uint8)


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp"])
def test_files_keep_every_grey(tmp_path, suffix):
    path = tmp_path / f"greys.{suffix}"
    Image.fromarray(GREYS).save(path)
    for source in (path, str(path), path.read_bytes()):
        picture = load_image(source)
        np.testing.assert_array_equal(np.rint(picture.pixels * 255), GREYS)
        assert (picture.bit_depth, picture.notes) == (8, ())
    assert load_image(path).name == "greys"


def test_jpeg_is_read_upright(tmp_path):
    image = Image.fromarray(np.zeros((4, 6, 3), dtype=np.uint8))
    exif = image.getexif()
    exif[0x0112] = 6  # a camera held sideways
    image.save(tmp_path / "sideways.jpg", exif=exif)
    assert load_image(tmp_path / "sideways.jpg").shape == (6, 4)


@pytest.mark.parametrize("bigendian", [False, True])
def test_sixteen_bit_tiff_keeps_every_value_in_grey_and_colour(tmp_path, bigendian):
    rng = np.random.default_rng(0)
    for shape in [(5, 6), (5, 6, 3)]:
        values = rng.integers(0, 2**16, size=shape, dtype=np.uint16)
        values.flat[0] = 2**16 - 1
        tifffile.imwrite(tmp_path / "deep.tif", values, byteorder=">" if bigendian else "<")
        picture = load_image(tmp_path / "deep.tif")
        assert picture.bit_depth == 16
        np.testing.assert_array_equal(np.rint(picture.pixels.astype(float) * 65535), values)


def test_sixteen_bit_png_and_twelve_bits_in_sixteen():
    picture = load_image(png(np.array([[0, 4095]], dtype=np.uint16)))
    assert picture.bit_depth == 12
    np.testing.assert_array_equal(picture.pixels, [[0, 1]])
    np.testing.assert_array_equal(picture.values, [[0, 4095]])


def test_the_first_page_of_a_stack_is_read_and_said(tmp_path):
    tifffile.imwrite(tmp_path / "stack.tif", np.stack([GREYS, GREYS[::-1]]), photometric="minisblack")
    picture = load_image(tmp_path / "stack.tif")
    np.testing.assert_array_equal(np.rint(picture.pixels * 255), GREYS)
    assert picture.notes == ("the first of 2 pages",)


def test_palettes_and_one_bit_are_read():
    one_bit = Image.fromarray(GREYS > 100)
    buffer = io.BytesIO()
    one_bit.save(buffer, "PNG")
    np.testing.assert_array_equal(load_image(buffer.getvalue()).pixels, GREYS > 100)
    buffer = io.BytesIO()
    Image.fromarray(np.dstack([GREYS, GREYS, GREYS + 7])).quantize(16).save(buffer, "PNG")
    assert load_image(buffer.getvalue()).is_colour


def test_alpha_is_laid_on_white_or_left_out_and_said(colours):
    alpha = np.full((9, 7, 1), 255, dtype=np.uint8)
    opaque = load_image(np.dstack([colours, alpha]))
    np.testing.assert_array_equal(opaque.pixels, load_image(colours).pixels)
    assert "alpha" in opaque.notes[0]
    alpha[0, 0], alpha[0, 1] = 0, 51
    laid = load_image(np.dstack([colours, alpha]))
    np.testing.assert_array_equal(laid.pixels[0, 0], [1, 1, 1])
    np.testing.assert_allclose(laid.pixels[0, 1], colours[0, 1] / 255 * 0.2 + 0.8, atol=1e-6)
    assert "white" in laid.notes[0]
    half_grey = load_image(np.dstack([GREYS, np.full_like(GREYS, 255)]))
    assert not half_grey.is_colour


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (3, 5, 3)])
def test_one_colour_is_allowed_and_noted(shape):
    assert "nothing to tell apart" in load_image(np.full(shape, 9, dtype=np.uint8)).notes[-1]


def test_equal_channels_are_read_as_grey():
    picture = load_image(np.dstack([GREYS] * 3))
    assert picture.pixels.shape == (3, 4)
    assert "read as grey" in picture.notes[0]


def test_fractions_stay_and_other_numbers_keep_their_units():
    np.testing.assert_array_equal(load_image(np.array([[0.25, 0.5]])).pixels, np.float32([[0.25, 0.5]]))
    picture = load_image(np.array([[-3.0, 0.0, 9.0]]))
    np.testing.assert_allclose(picture.pixels, [[0, 0.25, 1]])
    np.testing.assert_allclose(picture.values, [[-3, 0, 9]])
    assert (picture.low, picture.high, picture.notes) == (-3, 9, ())


def test_a_large_picture_is_reduced_and_says_so(colours):
    wide = np.kron(GREYS, np.ones((3, 3), dtype=np.uint8))
    picture = load_image(wide, max_side=4, truth=wide // 20)
    np.testing.assert_array_equal(np.rint(picture.pixels * 255), GREYS)
    np.testing.assert_array_equal(picture.truth, GREYS // 20)
    assert "reduced from 9 x 12 to 3 x 4" in picture.notes[0]
    assert "every pixel of the file counts" in picture.notes[0]
    np.testing.assert_array_equal(np.rint(picture.full.pixels * 255), wide)
    again = Picture.unpack(picture.pack())
    assert (again.shape, again.full.fingerprint) == (picture.shape, picture.full.fingerprint)
    assert load_image(wide, max_side=None).shape == (9, 12)
    assert load_image(np.zeros((1, 8193), dtype=np.uint8)).shape == (1, 1639)
    assert load_image(colours, max_side=5).pixels.shape == (5, 4, 3)


def test_a_truth_may_be_labels_a_mask_or_a_file(tmp_path):
    mask = np.uint8(GREYS > 100) * 255
    (tmp_path / "mask.png").write_bytes(png(mask))
    for truth in (mask, mask > 0, tmp_path / "mask.png", png(mask)):
        np.testing.assert_array_equal(load_image(GREYS, truth=truth).truth, GREYS > 100)
    assert load_image(GREYS, truth=np.full((3, 4), 255)).truth.min() == 1


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"plainly no picture", "upload is no picture"),
        (b"", "upload is empty"),
        (png(GREYS)[:48], "upload is no picture that can be read, or is damaged"),
        (b"II*\0 and then nothing", "upload is no picture"),
        (np.zeros((0, 4)), r"\(0, 4\)"),
        (np.zeros((2, 3, 7, 2)), r"\(2, 3, 7, 2\)"),
        (np.zeros(5), r"\(5,\)"),
        (np.array([[np.nan]]), "array: no pixel has a value"),
        (np.array([["a"]]), "real numbers"),
        ("phanton", "did you mean phantom"),
        ("qqqqqqqq", "known are phantom"),
    ],
)
def test_bad_sources_are_refused_in_words(source, words):
    with pytest.raises(ValueError, match=words):
        load_image(source)


def test_bad_files_are_named(tmp_path):
    path = tmp_path / "notes.png"
    path.write_text("plainly no picture")
    with pytest.raises(ValueError, match=r"notes\.png is no picture"):
        load_image(path)
    with pytest.raises(ValueError, match="is a folder"):
        load_image(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"missing\.png"):
        load_image(tmp_path / "missing.png")
    with pytest.raises(TypeError, match="got int"):
        load_image(7)


def png_that_says(width, height):
    content = png(GREYS)
    header = struct.pack(">II", width, height) + content[24:29]
    return content[:16] + header + struct.pack(">I", zlib.crc32(b"IHDR" + header)) + content[33:]


def tiff_that_says(array, bomb=b"", **tags):
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, array, compression="zlib")
    end = buffer.seek(0, io.SEEK_END)
    buffer.write(bomb)
    if bomb:
        tags |= {"StripOffsets": end, "StripByteCounts": len(bomb)}
    buffer.seek(0)
    with tifffile.TiffFile(buffer, mode="r+b") as file:
        for name, value in tags.items():
            file.pages[0].tags[name].overwrite(value)
        return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "amount"),
    [
        (png_that_says(13_000, 13_000), "169,000,000"),
        (png_that_says(20_000, 20_000), "400,000,000"),
        (png_that_says(2**31 - 1, 2**31 - 1), "4,611,686,014,132,420,609"),
        (tiff_that_says(GREYS, ImageWidth=20_000, ImageLength=20_000), "400,000,000"),
    ],
)
def test_too_many_pixels_are_refused_by_the_header_alone(content, amount):
    assert len(content) < 2000
    with pytest.raises(
        ValueError, match=f"scan: {amount} pixels are more than the 100,000,000 that are taken. Reduce it"
    ):
        load_image(content, filename="scan")


def test_a_strip_that_unpacks_to_more_than_the_picture_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "MOST_UNPACKED_BYTES", 5 * 10**6)
    bomb = tiff_that_says(GREYS, bomb=zlib.compress(bytes(10**7)))
    with pytest.raises(ValueError, match=r"scan\.tif would take \d+ MB of memory, more than the 5 MB"):
        load_image(bomb, filename="scan.tif")


def test_only_named_formats_are_opened_and_none_by_another_program(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("Ghostscript was called")

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", refuse)
    buffer = io.BytesIO()
    Image.fromarray(GREYS).save(buffer, "EPS")
    with pytest.raises(ValueError, match=r"^scan is no picture that can be read; save it as PNG, JPEG, TIFF, BMP"):
        load_image(buffer.getvalue(), filename="scan")


def test_an_array_is_neither_frozen_nor_shared():
    values = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
    picture = load_image(values)
    values[0, 0] = 0.5
    assert picture.pixels[0, 0] == 0


def test_a_truth_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"the truth is \(2, 2\), the picture \(3, 4\)"):
        load_image(GREYS, truth=np.zeros((2, 2), dtype=int))
    with pytest.raises(ValueError, match="whole numbers"):
        load_image(GREYS, truth=np.zeros((3, 4)))


def test_pictures_are_frozen_values():
    picture = load_image("phantom")
    for array in (picture.pixels, picture.truth):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0


def test_the_phantom_is_seeded_and_its_greys_overlap():
    np.testing.assert_array_equal(phantom()[0], phantom()[0])
    assert (phantom(seed=1)[0] != phantom()[0]).any()
    pixels, truth = phantom()
    background, tissue, fluid, lesion = (pixels[truth == k] for k in range(4))
    assert background.mean() < fluid.mean() < tissue.mean() < lesion.mean()
    assert np.quantile(tissue, 0.99) > np.quantile(lesion, 0.05)
    assert np.quantile(fluid, 0.95) > np.quantile(tissue, 0.02)
    assert (np.bincount(truth.ravel()) > 300).all()


def test_every_name_loads_without_the_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a picture reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.delenv("CCLAB_DATA", raising=False)
    names = image_names()
    assert {"phantom", "coins", "camera", "immunohistochemistry"} <= set(names)
    for name in names:
        picture = load_image(name)
        assert picture.name == name
        assert picture.description


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "regions"),
    [
        ("mr_t1", [7372, 12663, 1244, 717]),
        ("mr_t2like", [7372, 12663, 1244, 717]),
        ("horse_noisy", [164 * 200 - 10876, 10876]),
        ("coins", None),
        ("ihc_crop", "no truth"),
    ],
)
def test_pictures_of_the_folder_come_with_their_truth(name, regions):
    assert name in image_names()
    picture = load_image(name)
    if regions == "no truth":
        assert picture.truth is None
        assert picture.is_colour
    else:
        assert len(picture.truth_names) == picture.truth.max() + 1
        if regions is not None:
            np.testing.assert_array_equal(np.bincount(picture.truth.ravel()), regions)
    assert not {"mr_labels", "mr_mask", "horse_mask"} & set(image_names())
