"""The form of HEDS 3.0 [Belz2025]: its 62 questions by number, with the elements that hold the answers.

Element ids, kinds and the order of options are those of the form at nlp-heds.github.io (repository
nlp-heds/nlp-heds.github.io, index.html); only the options that we choose are named here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CRITERION = "heds-criteria-criterion"


@dataclass(frozen=True, slots=True)
class HedsQuestion:
    """A question: its number, what it is about, how it is answered, its element, how many options it has."""

    number: str
    about: str
    kind: Literal["text", "one", "many"]
    element: str
    n_options: int = 0


_ROWS = (
    ("1.1.1", "main reference", "one", "heds-paper_and_resources-paper-link", 4),
    (
        *("1.1.2", "which of its experiments", "text"),
        *("heds-paper_and_resources-paper-experiment_identification", 0),
    ),
    ("1.2", "resources used", "one", "heds-paper_and_resources-resources-links", 2),
    (
        *("1.3.1.1", "your name", "text"),
        *("heds-paper_and_resources-names_and_affiliations-person_completing_this_sheet-name", 0),
    ),
    (
        *("1.3.1.2", "your affiliation", "text"),
        *("heds-paper_and_resources-names_and_affiliations-person_completing_this_sheet-affiliation", 0),
    ),
    (
        *("1.3.1.3", "your email address", "text"),
        *("heds-paper_and_resources-names_and_affiliations-person_completing_this_sheet-email", 0),
    ),
    (
        *("1.3.2.1", "contact author's name", "text"),
        *("heds-paper_and_resources-names_and_affiliations-contact_author-name", 0),
    ),
    (
        *("1.3.2.2", "contact author's affiliation", "text"),
        *("heds-paper_and_resources-names_and_affiliations-contact_author-affiliation", 0),
    ),
    (
        *("1.3.2.3", "contact author's email address", "text"),
        *("heds-paper_and_resources-names_and_affiliations-contact_author-email", 0),
    ),
    ("2.1", "type of input", "many", "heds-system-input_types", 15),
    ("2.2", "type of output", "many", "heds-system-output_types", 14),
    ("2.3", "task of the systems", "many", "heds-system-tasks", 20),
    ("2.4", "languages of the inputs", "many", "heds-system-input_languages", 185),
    ("2.5", "languages of the outputs", "many", "heds-system-output_languages", 185),
    ("3.1.1", "items per system", "text", "heds-sample_evaluators_design-sample-number_of_system_outputs", 0),
    (
        *("3.1.2", "how items were selected", "one"),
        *("heds-sample_evaluators_design-sample-system_output_selection", 6),
    ),
    (
        *("3.1.3.1", "method of power analysis", "text"),
        *("heds-sample_evaluators_design-sample-statistical_power-method", 0),
    ),
    (
        *("3.1.3.2", "statistical power", "text"),
        *("heds-sample_evaluators_design-sample-statistical_power-value", 0),
    ),
    (
        *("3.1.3.3", "code of the power analysis", "text"),
        *("heds-sample_evaluators_design-sample-statistical_power-script", 0),
    ),
    (
        *("3.2.1", "number of evaluators", "text"),
        *("heds-sample_evaluators_design-evaluators-number_of_evaluators", 0),
    ),
    (
        *("3.2.2.1", "whether evaluators are experts", "one"),
        *("heds-sample_evaluators_design-evaluators-evaluators-expertise", 3),
    ),
    (
        *("3.2.2.2", "whether they were paid", "one"),
        *("heds-sample_evaluators_design-evaluators-evaluators-payment", 4),
    ),
    (
        *("3.2.2.3", "whether the authors knew them", "one"),
        *("heds-sample_evaluators_design-evaluators-evaluators-known_to_authors", 3),
    ),
    (
        *("3.2.2.4", "whether authors were among them", "one"),
        *("heds-sample_evaluators_design-evaluators-evaluators-are_authors", 3),
    ),
    ("3.2.3", "recruitment", "text", "heds-sample_evaluators_design-evaluators-recruitment_method", 0),
    (
        *("3.2.4", "training and practice", "text"),
        *("heds-sample_evaluators_design-evaluators-training_practice", 0),
    ),
    (
        *("3.2.5", "other characteristics of evaluators", "text"),
        *("heds-sample_evaluators_design-evaluators-characteristics", 0),
    ),
    ("3.3.1", "preregistration", "one", "heds-sample_evaluators_design-experimental_design-preregistered", 2),
    (
        *("3.3.2", "medium of collection", "text"),
        *("heds-sample_evaluators_design-experimental_design-collection_method", 0),
    ),
    (
        *("3.3.3.1", "types of quality assurance", "many"),
        *("heds-sample_evaluators_design-experimental_design-quality_assurance-method", 7),
    ),
    (
        *("3.3.3.2", "methods of quality assurance", "text"),
        *("heds-sample_evaluators_design-experimental_design-quality_assurance-description", 0),
    ),
    (
        *("3.3.4.1", "where the interface can be seen", "text"),
        *("heds-sample_evaluators_design-experimental_design-what_evaluators_see-link", 0),
    ),
    (
        *("3.3.4.2", "what evaluators see", "text"),
        *("heds-sample_evaluators_design-experimental_design-what_evaluators_see-description", 0),
    ),
    (
        *("3.3.5", "freedom of time", "many"),
        *("heds-sample_evaluators_design-experimental_design-evaluator_freedom", 5),
    ),
    (
        *("3.3.6", "questions and feedback", "many"),
        *("heds-sample_evaluators_design-experimental_design-evaluators_can_ask_questions", 5),
    ),
    (
        *("3.3.7", "conditions of work", "one"),
        *("heds-sample_evaluators_design-experimental_design-experimental_conditions", 8),
    ),
    (
        *("3.3.8", "how conditions varied", "text"),
        *("heds-sample_evaluators_design-experimental_design-evaluators_place_of_choosing", 0),
    ),
    ("4.1.1", "type of quality", "one", "heds-criteria-criterion-criteria-quality_type", 3),
    ("4.1.2", "aspect of the output", "one", "heds-criteria-criterion-criteria-output_aspect", 3),
    ("4.1.3", "frame of reference", "one", "heds-criteria-criterion-criteria-self_vs_external_frame", 3),
    (
        *("4.2.1", "objective or subjective", "one"),
        *("heds-criteria-criterion-evaluation_mode-objective_or_subjective", 2),
    ),
    (
        *("4.2.2", "absolute or relative", "one"),
        *("heds-criteria-criterion-evaluation_mode-absolute_or_relative", 2),
    ),
    (
        *("4.2.3", "intrinsic or extrinsic", "one"),
        *("heds-criteria-criterion-evaluation_mode-intrinsic_or_extrinsic", 2),
    ),
    (
        *("4.3.1.1", "what the criterion is called", "text"),
        *("heds-criteria-criterion-response_elicitation-qc_name-participant_criterion_name", 0),
    ),
    (
        *("4.3.1.2", "standardised name of the criterion", "text"),
        *("heds-criteria-criterion-response_elicitation-qc_name-mapped_criterion_name", 0),
    ),
    (
        *("4.3.2", "definition given to evaluators", "text"),
        *("heds-criteria-criterion-response_elicitation-participant_criterion_definiiton", 0),
    ),
    ("4.3.3", "size of the scale", "text", "heds-criteria-criterion-response_elicitation-size_of_scale", 0),
    ("4.3.4", "values of the scale", "text", "heds-criteria-criterion-response_elicitation-list_or_range", 0),
    (
        *("4.3.5", "how the scale is presented", "one"),
        *("heds-criteria-criterion-response_elicitation-scale_presented_as", 5),
    ),
    (
        *("4.3.6", "task without a scale", "text"),
        *("heds-criteria-criterion-response_elicitation-task_description", 0),
    ),
    (
        *("4.3.7", "verbatim question", "text"),
        *("heds-criteria-criterion-response_elicitation-verbatim_question", 0),
    ),
    ("4.3.8", "form of response", "one", "heds-criteria-criterion-response_elicitation-form_of_response", 11),
    (
        *("4.3.9", "aggregation of responses", "text"),
        *("heds-criteria-criterion-response_elicitation-response_aggregation", 0),
    ),
    (
        *("4.3.10", "effect size and significance", "text"),
        *("heds-criteria-criterion-response_elicitation-effect_size_method", 0),
    ),
    (
        *("4.3.11.1", "agreement between evaluators: measure", "text"),
        *("heds-criteria-criterion-response_elicitation-inter_annotator-agreement", 0),
    ),
    (
        *("4.3.11.2", "agreement between evaluators: score", "text"),
        *("heds-criteria-criterion-response_elicitation-inter_annotator-agreement_score", 0),
    ),
    (
        *("4.3.12.1", "agreement of evaluators with themselves: measure", "text"),
        *("heds-criteria-criterion-response_elicitation-intra_annotator-intra_annotator_agreement", 0),
    ),
    (
        *("4.3.12.2", "agreement of evaluators with themselves: score", "text"),
        *("heds-criteria-criterion-response_elicitation-intra_annotator-intra_annotator_agreement_score", 0),
    ),
    ("5.1", "ethics committee", "text", "heds-ethics-review_body", 0),
    ("5.2", "personal data", "one", "heds-ethics-personal_data", 2),
    ("5.3", "special categories of data", "one", "heds-ethics-special_category_data", 2),
    ("5.4", "impact assessments", "text", "heds-ethics-impact_assessments", 0),
)
QUESTIONS: dict[str, HedsQuestion] = {row[0]: HedsQuestion(*row) for row in _ROWS}  # type: ignore[arg-type]

# Options by their place in the form, from 1.
SENTENCE, SEVERAL_SENTENCES, DOCUMENT = 5, 6, 7
MACHINE_TRANSLATION = 15
OTHER_LANGUAGE = 185
OTHER_SELECTION = 6
PAID_IN_MONEY = 1
AUTOMATIC_CHECKS, MANUAL_CHECKS, EVALUATORS_EXCLUDED, EVALUATIONS_EXCLUDED = 2, 3, 4, 5
# The form asks what these mean.
OTHER_ASSURANCE, NO_ASSURANCE = 6, 7
SET_TIME_FOR_WHOLE, NO_LIMITS = 3, 5
CORRECTNESS, GOODNESS = 1, 2
FORM, CONTENT, FORM_AND_CONTENT = 1, 2, 3
OWN_RIGHT, RELATIVE_TO_INPUT, EXTERNAL_FRAME = 1, 2, 3
SUBJECTIVE = 2
ABSOLUTE, RELATIVE = 1, 2
INTRINSIC = 1
MULTIPLE_CHOICE, SLIDER, NO_INSTRUMENT = 1, 3, 4
AGREEMENT_WITH_STATEMENT, DIRECT_ESTIMATION, RELATIVE_ESTIMATION, ERRORS_MARKED = 1, 2, 3, 6
# Languages stand in the order of their English names, after an option for "none"; some under older names.
_LANGUAGES = """
ab aa af ak sq am ar an hy as av ae ay az bm ba eu be bn bi bs br bg my ca ch ce ny zh cu cv kw co cr hr
cs da dv nl dz en eo et ee fo fj fi fr fy ff gd gl lg ka de el kl gn gu ht ha he hz hi ho hu is io ig id
ia ie iu ik ga it ja jv kn kr ks kk km ki rw ky kv kg ko kj ku lo la lv li ln lt lu lb mk mg ms ml mt gv
mi mr mh mn na nv nd nr ng ne no nb nn ii oc oj or om os pi ps fa pl pt pa qu ro rm rn ru se sm sg sa sc
sr sn sd si sk sl so st es su sw ss sv tl ty tg ta tt te th bo ti to ts tn tr tk tw ug uk ur uz ve vi vo
wa cy wo xh yi yo za zu
"""
LANGUAGE_OPTIONS: dict[str, int] = {code: place for place, code in enumerate(_LANGUAGES.split(), start=2)}
