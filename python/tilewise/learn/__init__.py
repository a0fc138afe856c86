"""The course: from vector add to attention, with exercises that are checked. `tilewise learn`, or `python -m tilewise learn`; see learn/ of the repository."""
