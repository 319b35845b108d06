"""Files as scanners and microscopes write them, made here."""

import io

import numpy as np
import tifffile


def tiff(array, **options):
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, array, **options)
    return buffer.getvalue()


def body(shape=(40, 48), seed=0):
    """A slice in Hounsfield units: air, tissue, and a round organ."""
    y, x = np.indices(shape)
    rng = np.random.default_rng(seed)
    inside = np.hypot(y - shape[0] / 2, x - shape[1] / 2) < 0.45 * min(shape)
    organ = np.hypot(y - shape[0] / 2, x - shape[1] / 2 + 4) < 0.18 * min(shape)
    values = np.where(inside, 40, -1000) + 160 * organ
    return np.maximum(values + rng.normal(0, 8, shape), -1024).astype(np.int16), inside.astype(np.uint8) + organ


def dicom(values, *, place=0.0, number=1, **tags):
    """A CT slice; values are stored with an intercept, as scanners do."""
    import pydicom
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = CTImageStorage, generate_uid()
    told = FileDataset("slice.dcm", {}, file_meta=meta, preamble=b"\0" * 128)
    told.Modality, told.PhotometricInterpretation = "CT", "MONOCHROME2"
    told.Rows, told.Columns = values.shape[-2:]
    if values.ndim == 3:
        told.NumberOfFrames = len(values)
    told.SamplesPerPixel, told.BitsAllocated, told.BitsStored, told.HighBit = 1, 16, 16, 15
    told.PixelRepresentation = 0
    told.RescaleSlope, told.RescaleIntercept = "1", "-1024"
    told.PixelSpacing, told.SliceThickness = [0.7, 0.8], "5"
    told.ImagePositionPatient, told.ImageOrientationPatient = [0, 0, place], [1, 0, 0, 0, 1, 0]
    told.InstanceNumber = number
    told.WindowCenter, told.WindowWidth = "40", "400"
    for name, value in tags.items():
        setattr(told, name, value)
    told.PixelData = (values.astype(np.int32) + 1024).astype(np.uint16).tobytes()
    buffer = io.BytesIO()
    pydicom.dcmwrite(buffer, told, enforce_file_format=True)
    return buffer.getvalue()


def nifti(volume, affine=None, zooms=(0.7, 0.8, 5.0)):
    """A volume with its voxels in the order (x, y, z), by default running to the left, as many scanners have it."""
    import nibabel

    affine = np.diag([-zooms[0], zooms[1], zooms[2], 1.0]) if affine is None else affine
    image = nibabel.Nifti1Image(volume, affine)
    image.header.set_xyzt_units("mm", "sec")
    return image.to_bytes()
