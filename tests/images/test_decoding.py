"""Files of microscopes and scanners: channels, palettes, units, sizes, slices; and broken ones."""

import gzip
import io

import numpy as np
import pytest
from PIL import Image

from cclab.datasets import limits
from cclab.images import load_image, load_stack
from tests.images.pictures import body, dicom, nifti, tiff

RNG = np.random.default_rng(0)
CHANNELS = RNG.integers(0, 4000, size=(2, 9, 7), dtype=np.uint16)


class TestTiff:
    def test_two_channels_are_no_transparency(self):
        picture = load_image(tiff(CHANNELS, metadata={"axes": "CYX", "Channel": {"Name": ["DAPI", "GFP"]}}, ome=True))
        assert picture.channels == ("DAPI", "GFP")
        np.testing.assert_allclose(picture.values, np.moveaxis(CHANNELS, 0, -1), atol=0.01)
        assert picture.shown().shape == (9, 7, 3)

    def test_infrared_beside_red_green_and_blue_is_a_channel(self):
        four = RNG.integers(0, 255, size=(9, 7, 4), dtype=np.uint8)
        infrared = load_image(tiff(four, photometric="rgb", extrasamples=[0]))
        assert infrared.channels == ("red", "green", "blue", "channel 4")
        alpha = load_image(tiff(four, photometric="rgb", extrasamples=[2]))
        assert alpha.is_colour
        assert "transparent" in alpha.notes[0]

    def test_planar_colours(self):
        planes = RNG.integers(0, 255, size=(3, 9, 7), dtype=np.uint8)
        picture = load_image(tiff(planes, photometric="rgb", planarconfig="separate"))
        np.testing.assert_array_equal(np.rint(255 * picture.pixels), np.moveaxis(planes, 0, -1))

    def test_a_palette_gives_its_colours(self):
        colours = np.zeros((3, 256), dtype=np.uint16)
        colours[:, 1] = 65535, 0, 0
        indices = np.array([[0, 1], [1, 0]], dtype=np.uint8)
        picture = load_image(tiff(indices, photometric="palette", colormap=colours))
        np.testing.assert_array_equal(picture.pixels[0, 1], [1, 0, 0])
        assert picture.notes == ("colours of a palette",)

    def test_white_may_be_zero_and_inks_are_turned_into_light(self):
        picture = load_image(tiff(np.array([[0, 200]], dtype=np.uint8), photometric="miniswhite"))
        np.testing.assert_array_equal(picture.values, [[255, 55]])
        ink = np.zeros((1, 2, 4), dtype=np.uint8)
        ink[0, 1, 3] = 255
        printed = load_image(tiff(ink, photometric="separated"))
        np.testing.assert_array_equal(printed.pixels[0], [[1, 1, 1], [0, 0, 0]] if printed.is_colour else [1, 0])
        assert "CMYK" in printed.notes[0]
        buffer = io.BytesIO()
        Image.fromarray(ink, "CMYK").save(buffer, "JPEG")
        assert "CMYK" in load_image(buffer.getvalue()).notes[0]

    def test_the_size_of_a_pixel(self):
        options = {"metadata": {"axes": "YX", "PhysicalSizeX": 0.25, "PhysicalSizeY": 0.5}, "ome": True}
        picture = load_image(tiff(CHANNELS[0], **options))
        assert (picture.spacing, picture.length) == ((0.5, 0.25), "µm")
        imagej = load_image(tiff(CHANNELS[0], imagej=True, resolution=(4, 4), metadata={"unit": "um"}))
        assert (imagej.spacing, imagej.length) == ((0.25, 0.25), "µm")
        assert load_image(tiff(CHANNELS[0])).spacing is None

    def test_slices_and_times_are_a_stack(self):
        volume = RNG.integers(0, 255, size=(2, 3, 9, 7), dtype=np.uint8)
        stack = load_stack(tiff(volume, metadata={"axes": "TZYX"}, ome=True), name="film")
        assert len(stack) == 6
        np.testing.assert_array_equal(stack[4].values, volume[1, 1])
        channels = load_stack(tiff(np.stack([CHANNELS] * 3), metadata={"axes": "ZCYX"}, ome=True))
        assert (len(channels), len(channels[0].channels)) == (3, 2)


class TestUnits:
    def test_signed_values_and_fractions_keep_theirs(self):
        values = np.array([[-1000, 40, 1200]], dtype=np.int16)
        for array in (values, values.astype(np.float32) / 7):
            np.testing.assert_allclose(load_image(tiff(array)).values, array, rtol=1e-5, atol=1e-2)

    def test_a_hot_pixel_leaves_the_rest_to_be_seen(self):
        values = RNG.integers(100, 300, size=(60, 60), dtype=np.uint16)
        values[3, 3] = 60_000
        picture = load_image(values)
        assert picture.shown().std() > 50
        low, high = picture.contrast
        assert 90 < low < 110
        assert 290 < high < 310
        assert picture.shown((100, 60_000)).max() == 255

    def test_pixels_without_a_value_belong_nowhere(self):
        values = RNG.normal(size=(8, 9)).astype(np.float32)
        values[2, 3] = np.nan
        values[2, 4] = np.inf
        picture = load_image(tiff(values))
        assert np.argwhere(picture.invalid).tolist() == [[2, 3], [2, 4]]
        assert picture.notes == ("2 pixels have no value (NaN or infinite): they belong nowhere",)


class TestMedical:
    pytest.importorskip("pydicom")
    pytest.importorskip("nibabel")

    def test_a_dicom_file_comes_in_hounsfield_units(self):
        values, _ = body()
        picture = load_image(dicom(values), filename="ct.dcm")
        np.testing.assert_allclose(picture.values, values, atol=0.02)
        assert (picture.unit, picture.spacing, picture.length) == ("HU", (0.7, 0.8), "mm")
        assert picture.window == (-160, 240)
        assert picture.about.endswith("HU")

    def test_a_series_is_put_in_the_order_of_the_body(self, tmp_path):
        for number, place in enumerate([10.0, -5.0, 0.0], 1):
            values = np.full((6, 5), int(place), dtype=np.int16)
            values[0, 0] = 300
            (tmp_path / f"im{number}.dcm").write_bytes(dicom(values, place=place, number=number))
        stack = load_stack(tmp_path)
        np.testing.assert_allclose([picture.values[3, 3] for picture in stack], [-5, 0, 10], atol=0.02)

    def test_frames_are_slices(self):
        values = np.stack([body(seed=k)[0] for k in range(3)])
        stack = load_stack(dicom(values), filename="frames.dcm")
        assert (len(stack), stack.thickness, stack.name) == (3, 5.0, "frames")

    def test_padding_belongs_nowhere(self):
        values, _ = body()
        values[:3] = -1000
        padded = load_image(dicom(values, PixelPaddingValue=24), filename="ct.dcm")
        assert padded.invalid[:3].all()

    @pytest.mark.parametrize("compress", [bytes, gzip.compress])
    def test_a_nifti_volume_is_axial_slices(self, compress):
        volume = RNG.normal(size=(5, 6, 4)).astype(np.float32)
        stack = load_stack(compress(nifti(volume)), filename="head.nii.gz")
        assert (len(stack), stack.shape, stack.thickness, stack.name) == (4, (6, 5), 5.0, "head")
        assert stack[0].spacing == pytest.approx((0.8, 0.7))
        # The file runs to the left: its first voxel of a row is the last on the page.
        np.testing.assert_allclose(stack[2].values[0], volume[::-1, -1, 2], atol=1e-4)

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (dicom(body()[0])[:600], "ct is no picture that can be read, or is damaged"),
            (bytes(128) + b"DICM" + bytes(100), "ct is no picture that can be read, or is damaged"),
            (dicom(body()[0], Rows=30_000, Columns=30_000), "900,000,000 pixels are more than"),
            (nifti(np.zeros((5, 6, 4), dtype=np.uint8))[:360], "ct is no picture that can be read, or is damaged"),
            (b"II*\0\0\0\0\0", "ct is no picture that can be read, or is damaged; save it anew"),
            (gzip.compress(b"no volume"), "ct is no picture that can be read, or is damaged"),
            (gzip.compress(bytes(400))[:40], "ct is no picture that can be read, or is damaged"),
        ],
        ids=["cut DICOM", "empty DICOM", "huge DICOM", "cut NIfTI", "TIFF of nothing", "some gzip", "cut gzip"],
    )
    def test_broken_files_are_refused_in_words(self, content, words, caplog):
        with pytest.raises(ValueError, match=words) as error:
            load_stack(content, filename="ct")
        assert "object at 0x" not in str(error.value)
        assert not caplog.records  # one sentence is enough

    def test_a_stack_of_three_gigabytes_is_refused_by_its_header(self, monkeypatch):
        monkeypatch.setattr(limits, "MOST_UNPACKED_BYTES", 10**5)
        with pytest.raises(ValueError, match=r"would take 2 MB of memory.*Open a part of its 400 slices"):
            load_stack(nifti(np.zeros((30, 30, 400), dtype=np.uint8)), filename="long.nii")


def test_a_file_of_gigabytes_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "long.tif").open("wb") as file:
        file.truncate(3 * 2**30)  # takes no room on the disk
    for load in (load_image, load_stack):
        with pytest.raises(ValueError, match=r"long\.tif would take 3,222 MB of memory.*Open a part of it"):
            load(tmp_path / "long.tif")


def test_a_folder_of_mixed_sizes_says_which_and_what_to_do(tmp_path):
    for number, size in enumerate([(5, 6), (5, 6), (7, 7)]):
        (tmp_path / f"{number}.tif").write_bytes(tiff(np.zeros(size, dtype=np.uint8)))
    words = r"0 is 6 x 5, 8-bit grey, number 3 \(2\) is 7 x 7, 8-bit grey; open those of one size together"
    with pytest.raises(ValueError, match=words):
        load_stack(tmp_path)
    with pytest.raises(ValueError, match="there is no picture in"):
        load_stack(tmp_path / "..", name="x") if False else load_stack([])
