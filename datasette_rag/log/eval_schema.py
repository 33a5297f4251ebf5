"""The tables and the view of evals, as the log has them: runs, their results, and two runs compared."""

from __future__ import annotations

RUNS = "rag_eval_runs"
RESULTS = "rag_eval_results"
TABLES = (RUNS, RESULTS)

TABLES_SQL = f"""
create table {RUNS} (
  id text primary key,
  started text not null,
  questions_from text not null,
  databases text not null,
  questions integer not null,
  answerer text,
  answer_model text,
  measures text not null,
  search_ms real,
  answer_ms real,
  input_tokens integer not null,
  output_tokens integer not null,
  cost_usd real not null
);
create table {RESULTS} (
  run_id text not null references {RUNS} (id),
  question_id text not null,
  question text not null,
  expected text not null,
  found text not null,
  measures text not null,
  keywords text,
  match text,
  search_ms real,
  outcome text,
  answer text,
  failed_checks text,
  answer_ms real,
  cost_usd real,
  primary key (run_id, question_id)
);
"""

VIEWS = {
    # All pairs of runs: choose two of them by their columns.
    "rag_eval_differences": f"""
select old_result.run_id as before_run, new_result.run_id as after_run,
  new_result.question as question, old_value.key as measure,
  old_value.value as before, new_value.value as after,
  new_value.value - old_value.value as difference
from {RUNS} as new_run
join {RUNS} as old_run on old_run.started < new_run.started
join {RESULTS} as new_result on new_result.run_id = new_run.id
join {RESULTS} as old_result on old_result.run_id = old_run.id
  and old_result.question_id = new_result.question_id
join json_each(old_result.measures) as old_value
join json_each(new_result.measures) as new_value on new_value.key = old_value.key
where new_value.value <> old_value.value
""",
}
