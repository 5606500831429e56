"""Studies by name, from the entry points `handup.studies` of every installed package. Loading one imports no other."""

from __future__ import annotations

from handup.core import Announced
from handup.lab.engine.study import Study

STUDIES = Announced("study", "handup.studies", Study, hint="Or say 'all'.")
names, study_of = STUDIES.names, STUDIES.get
