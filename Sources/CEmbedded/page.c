#include "CEmbedded.h"

// All files of Sources/Page; `Tests/Page/unit` fails when one is missing here. See embedded.c.

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_Basics_call_urls_js[] = {
#embed "../Page/Basics/call-urls.js"
};
static const unsigned char file_Basics_durations_js[] = {
#embed "../Page/Basics/durations.js"
};
static const unsigned char file_Basics_json_text_js[] = {
#embed "../Page/Basics/json-text.js"
};
static const unsigned char file_Basics_lossless_json_js[] = {
#embed "../Page/Basics/lossless-json.js"
};
static const unsigned char file_Basics_operation_address_js[] = {
#embed "../Page/Basics/operation-address.js"
};
static const unsigned char file_Basics_shell_words_js[] = {
#embed "../Page/Basics/shell-words.js"
};
static const unsigned char file_Basics_times_js[] = {
#embed "../Page/Basics/times.js"
};
static const unsigned char file_Basics_visible_text_js[] = {
#embed "../Page/Basics/visible-text.js"
};
static const unsigned char file_Parts_approval_card_js[] = {
#embed "../Page/Parts/approval-card.js"
};
static const unsigned char file_Parts_bulk_form_js[] = {
#embed "../Page/Parts/bulk-form.js"
};
static const unsigned char file_Parts_call_view_js[] = {
#embed "../Page/Parts/call-view.js"
};
static const unsigned char file_Parts_checked_editor_js[] = {
#embed "../Page/Parts/checked-editor.js"
};
static const unsigned char file_Parts_completion_js[] = {
#embed "../Page/Parts/completion.js"
};
static const unsigned char file_Parts_delivery_js[] = {
#embed "../Page/Parts/delivery.js"
};
static const unsigned char file_Parts_detail_screen_js[] = {
#embed "../Page/Parts/detail-screen.js"
};
static const unsigned char file_Parts_editor_js[] = {
#embed "../Page/Parts/editor.js"
};
static const unsigned char file_Parts_job_words_js[] = {
#embed "../Page/Parts/job-words.js"
};
static const unsigned char file_Parts_limit_words_js[] = {
#embed "../Page/Parts/limit-words.js"
};
static const unsigned char file_Parts_member_fields_js[] = {
#embed "../Page/Parts/member-fields.js"
};
static const unsigned char file_Parts_problem_places_js[] = {
#embed "../Page/Parts/problem-places.js"
};
static const unsigned char file_Parts_screen_js[] = {
#embed "../Page/Parts/screen.js"
};
static const unsigned char file_Parts_signal_form_js[] = {
#embed "../Page/Parts/signal-form.js"
};
static const unsigned char file_Parts_table_screen_js[] = {
#embed "../Page/Parts/table-screen.js"
};
static const unsigned char file_Parts_upstream_words_js[] = {
#embed "../Page/Parts/upstream-words.js"
};
static const unsigned char file_Screens_Approvals_approvals_screen_js[] = {
#embed "../Page/Screens/Approvals/approvals-screen.js"
};
static const unsigned char file_Screens_Bulk_bulk_parts_js[] = {
#embed "../Page/Screens/Bulk/bulk-parts.js"
};
static const unsigned char file_Screens_Bulk_bulk_screen_js[] = {
#embed "../Page/Screens/Bulk/bulk-screen.js"
};
static const unsigned char file_Screens_Bulk_bulks_screen_js[] = {
#embed "../Page/Screens/Bulk/bulks-screen.js"
};
static const unsigned char file_Screens_Compose_compose_screen_js[] = {
#embed "../Page/Screens/Compose/compose-screen.js"
};
static const unsigned char file_Screens_Compose_compose_css[] = {
#embed "../Page/Screens/Compose/compose.css"
};
static const unsigned char file_Screens_Compose_examples_js[] = {
#embed "../Page/Screens/Compose/examples.js"
};
static const unsigned char file_Screens_Compose_own_labels_js[] = {
#embed "../Page/Screens/Compose/own-labels.js"
};
static const unsigned char file_Screens_Compose_plan_view_js[] = {
#embed "../Page/Screens/Compose/plan-view.js"
};
static const unsigned char file_Screens_Compose_secret_words_js[] = {
#embed "../Page/Screens/Compose/secret-words.js"
};
static const unsigned char file_Screens_Connections_connections_screen_js[] = {
#embed "../Page/Screens/Connections/connections-screen.js"
};
static const unsigned char file_Screens_Health_health_screen_js[] = {
#embed "../Page/Screens/Health/health-screen.js"
};
static const unsigned char file_Screens_Health_health_css[] = {
#embed "../Page/Screens/Health/health.css"
};
static const unsigned char file_Screens_Health_rates_js[] = {
#embed "../Page/Screens/Health/rates.js"
};
static const unsigned char file_Screens_Hooks_delivery_mark_js[] = {
#embed "../Page/Screens/Hooks/delivery-mark.js"
};
static const unsigned char file_Screens_Hooks_hook_screen_js[] = {
#embed "../Page/Screens/Hooks/hook-screen.js"
};
static const unsigned char file_Screens_Hooks_hook_turns_js[] = {
#embed "../Page/Screens/Hooks/hook-turns.js"
};
static const unsigned char file_Screens_Hooks_hooks_screen_js[] = {
#embed "../Page/Screens/Hooks/hooks-screen.js"
};
static const unsigned char file_Screens_Job_arriving_view_js[] = {
#embed "../Page/Screens/Job/arriving-view.js"
};
static const unsigned char file_Screens_Job_attempt_compare_view_js[] = {
#embed "../Page/Screens/Job/attempt-compare-view.js"
};
static const unsigned char file_Screens_Job_attempt_compare_js[] = {
#embed "../Page/Screens/Job/attempt-compare.js"
};
static const unsigned char file_Screens_Job_attempt_difference_js[] = {
#embed "../Page/Screens/Job/attempt-difference.js"
};
static const unsigned char file_Screens_Job_attempts_view_js[] = {
#embed "../Page/Screens/Job/attempts-view.js"
};
static const unsigned char file_Screens_Job_callback_view_js[] = {
#embed "../Page/Screens/Job/callback-view.js"
};
static const unsigned char file_Screens_Job_events_view_js[] = {
#embed "../Page/Screens/Job/events-view.js"
};
static const unsigned char file_Screens_Job_graph_model_js[] = {
#embed "../Page/Screens/Job/graph-model.js"
};
static const unsigned char file_Screens_Job_graph_view_js[] = {
#embed "../Page/Screens/Job/graph-view.js"
};
static const unsigned char file_Screens_Job_group_words_js[] = {
#embed "../Page/Screens/Job/group-words.js"
};
static const unsigned char file_Screens_Job_job_screen_js[] = {
#embed "../Page/Screens/Job/job-screen.js"
};
static const unsigned char file_Screens_Job_job_css[] = {
#embed "../Page/Screens/Job/job.css"
};
static const unsigned char file_Screens_Job_operations_view_js[] = {
#embed "../Page/Screens/Job/operations-view.js"
};
static const unsigned char file_Screens_Job_result_view_js[] = {
#embed "../Page/Screens/Job/result-view.js"
};
static const unsigned char file_Screens_Job_sent_calls_js[] = {
#embed "../Page/Screens/Job/sent-calls.js"
};
static const unsigned char file_Screens_Job_spec_model_js[] = {
#embed "../Page/Screens/Job/spec-model.js"
};
static const unsigned char file_Screens_Job_spec_view_js[] = {
#embed "../Page/Screens/Job/spec-view.js"
};
static const unsigned char file_Screens_Job_timeline_model_js[] = {
#embed "../Page/Screens/Job/timeline-model.js"
};
static const unsigned char file_Screens_Job_timeline_view_js[] = {
#embed "../Page/Screens/Job/timeline-view.js"
};
static const unsigned char file_Screens_Job_verdict_js[] = {
#embed "../Page/Screens/Job/verdict.js"
};
static const unsigned char file_Screens_Jobs_filter_field_js[] = {
#embed "../Page/Screens/Jobs/filter-field.js"
};
static const unsigned char file_Screens_Jobs_filter_words_js[] = {
#embed "../Page/Screens/Jobs/filter-words.js"
};
static const unsigned char file_Screens_Jobs_job_filters_js[] = {
#embed "../Page/Screens/Jobs/job-filters.js"
};
static const unsigned char file_Screens_Jobs_job_row_js[] = {
#embed "../Page/Screens/Jobs/job-row.js"
};
static const unsigned char file_Screens_Jobs_jobs_screen_js[] = {
#embed "../Page/Screens/Jobs/jobs-screen.js"
};
static const unsigned char file_Screens_Jobs_jobs_css[] = {
#embed "../Page/Screens/Jobs/jobs.css"
};
static const unsigned char file_Screens_Jobs_list_model_js[] = {
#embed "../Page/Screens/Jobs/list-model.js"
};
static const unsigned char file_Screens_Jobs_state_tabs_js[] = {
#embed "../Page/Screens/Jobs/state-tabs.js"
};
static const unsigned char file_Screens_Origins_origins_screen_js[] = {
#embed "../Page/Screens/Origins/origins-screen.js"
};
static const unsigned char file_Screens_Overview_failures_view_js[] = {
#embed "../Page/Screens/Overview/failures-view.js"
};
static const unsigned char file_Screens_Overview_history_chart_js[] = {
#embed "../Page/Screens/Overview/history-chart.js"
};
static const unsigned char file_Screens_Overview_history_model_js[] = {
#embed "../Page/Screens/Overview/history-model.js"
};
static const unsigned char file_Screens_Overview_overview_screen_js[] = {
#embed "../Page/Screens/Overview/overview-screen.js"
};
static const unsigned char file_Screens_Overview_overview_css[] = {
#embed "../Page/Screens/Overview/overview.css"
};
static const unsigned char file_Screens_Overview_stuck_model_js[] = {
#embed "../Page/Screens/Overview/stuck-model.js"
};
static const unsigned char file_Screens_Queues_queue_form_js[] = {
#embed "../Page/Screens/Queues/queue-form.js"
};
static const unsigned char file_Screens_Queues_queue_parts_js[] = {
#embed "../Page/Screens/Queues/queue-parts.js"
};
static const unsigned char file_Screens_Queues_queue_screen_js[] = {
#embed "../Page/Screens/Queues/queue-screen.js"
};
static const unsigned char file_Screens_Queues_queues_screen_js[] = {
#embed "../Page/Screens/Queues/queues-screen.js"
};
static const unsigned char file_Screens_Schedules_backfill_form_js[] = {
#embed "../Page/Screens/Schedules/backfill-form.js"
};
static const unsigned char file_Screens_Schedules_cron_words_js[] = {
#embed "../Page/Screens/Schedules/cron-words.js"
};
static const unsigned char file_Screens_Schedules_outcome_ticks_js[] = {
#embed "../Page/Screens/Schedules/outcome-ticks.js"
};
static const unsigned char file_Screens_Schedules_schedule_form_screen_js[] = {
#embed "../Page/Screens/Schedules/schedule-form-screen.js"
};
static const unsigned char file_Screens_Schedules_schedule_parts_js[] = {
#embed "../Page/Screens/Schedules/schedule-parts.js"
};
static const unsigned char file_Screens_Schedules_schedule_screen_js[] = {
#embed "../Page/Screens/Schedules/schedule-screen.js"
};
static const unsigned char file_Screens_Schedules_schedule_words_js[] = {
#embed "../Page/Screens/Schedules/schedule-words.js"
};
static const unsigned char file_Screens_Schedules_schedules_screen_js[] = {
#embed "../Page/Screens/Schedules/schedules-screen.js"
};
static const unsigned char file_Screens_Secrets_secrets_screen_js[] = {
#embed "../Page/Screens/Secrets/secrets-screen.js"
};
static const unsigned char file_Screens_Servers_servers_screen_js[] = {
#embed "../Page/Screens/Servers/servers-screen.js"
};
static const unsigned char file_Screens_Templates_templates_screen_js[] = {
#embed "../Page/Screens/Templates/templates-screen.js"
};
static const unsigned char file_Shell_keys_js[] = {
#embed "../Page/Shell/keys.js"
};
static const unsigned char file_Shell_route_js[] = {
#embed "../Page/Shell/route.js"
};
static const unsigned char file_Shell_shell_css[] = {
#embed "../Page/Shell/shell.css"
};
static const unsigned char file_Shell_shell_js[] = {
#embed "../Page/Shell/shell.js"
};
static const unsigned char file_Shell_sign_in_js[] = {
#embed "../Page/Shell/sign-in.js"
};
static const unsigned char file_View_base_css[] = {
#embed "../Page/View/base.css"
};
static const unsigned char file_View_code_view_js[] = {
#embed "../Page/View/code-view.js"
};
static const unsigned char file_View_copying_js[] = {
#embed "../Page/View/copying.js"
};
static const unsigned char file_View_dialogs_js[] = {
#embed "../Page/View/dialogs.js"
};
static const unsigned char file_View_dom_js[] = {
#embed "../Page/View/dom.js"
};
static const unsigned char file_View_facts_js[] = {
#embed "../Page/View/facts.js"
};
static const unsigned char file_View_hover_card_js[] = {
#embed "../Page/View/hover-card.js"
};
static const unsigned char file_View_icons_js[] = {
#embed "../Page/View/icons.js"
};
static const unsigned char file_View_notices_js[] = {
#embed "../Page/View/notices.js"
};
static const unsigned char file_View_parts_css[] = {
#embed "../Page/View/parts.css"
};
static const unsigned char file_View_preferences_js[] = {
#embed "../Page/View/preferences.js"
};
static const unsigned char file_View_sparkline_js[] = {
#embed "../Page/View/sparkline.js"
};
static const unsigned char file_View_states_js[] = {
#embed "../Page/View/states.js"
};
static const unsigned char file_View_time_text_js[] = {
#embed "../Page/View/time-text.js"
};
static const unsigned char file_View_tokens_css[] = {
#embed "../Page/View/tokens.css"
};
static const unsigned char file_Wire_api_js[] = {
#embed "../Page/Wire/api.js"
};
static const unsigned char file_Wire_job_actions_js[] = {
#embed "../Page/Wire/job-actions.js"
};
static const unsigned char file_Wire_live_js[] = {
#embed "../Page/Wire/live.js"
};
static const unsigned char file_Wire_metrics_text_js[] = {
#embed "../Page/Wire/metrics-text.js"
};
static const unsigned char file_Wire_metrics_js[] = {
#embed "../Page/Wire/metrics.js"
};
static const unsigned char file_Wire_polling_js[] = {
#embed "../Page/Wire/polling.js"
};
static const unsigned char file_Wire_session_js[] = {
#embed "../Page/Wire/session.js"
};
static const unsigned char file_icon_svg[] = {
#embed "../Page/icon.svg"
};
static const unsigned char file_index_html[] = {
#embed "../Page/index.html"
};
static const unsigned char file_main_css[] = {
#embed "../Page/main.css"
};
static const unsigned char file_main_js[] = {
#embed "../Page/main.js"
};

#define PAGE_FILE(path, bytes) {path, {bytes, sizeof bytes}}

static const struct embedded_page_file files[] = {
    PAGE_FILE("Basics/call-urls.js", file_Basics_call_urls_js),
    PAGE_FILE("Basics/durations.js", file_Basics_durations_js),
    PAGE_FILE("Basics/json-text.js", file_Basics_json_text_js),
    PAGE_FILE("Basics/lossless-json.js", file_Basics_lossless_json_js),
    PAGE_FILE("Basics/operation-address.js", file_Basics_operation_address_js),
    PAGE_FILE("Basics/shell-words.js", file_Basics_shell_words_js),
    PAGE_FILE("Basics/times.js", file_Basics_times_js),
    PAGE_FILE("Basics/visible-text.js", file_Basics_visible_text_js),
    PAGE_FILE("Parts/approval-card.js", file_Parts_approval_card_js),
    PAGE_FILE("Parts/bulk-form.js", file_Parts_bulk_form_js),
    PAGE_FILE("Parts/call-view.js", file_Parts_call_view_js),
    PAGE_FILE("Parts/checked-editor.js", file_Parts_checked_editor_js),
    PAGE_FILE("Parts/completion.js", file_Parts_completion_js),
    PAGE_FILE("Parts/delivery.js", file_Parts_delivery_js),
    PAGE_FILE("Parts/detail-screen.js", file_Parts_detail_screen_js),
    PAGE_FILE("Parts/editor.js", file_Parts_editor_js),
    PAGE_FILE("Parts/job-words.js", file_Parts_job_words_js),
    PAGE_FILE("Parts/limit-words.js", file_Parts_limit_words_js),
    PAGE_FILE("Parts/member-fields.js", file_Parts_member_fields_js),
    PAGE_FILE("Parts/problem-places.js", file_Parts_problem_places_js),
    PAGE_FILE("Parts/screen.js", file_Parts_screen_js),
    PAGE_FILE("Parts/signal-form.js", file_Parts_signal_form_js),
    PAGE_FILE("Parts/table-screen.js", file_Parts_table_screen_js),
    PAGE_FILE("Parts/upstream-words.js", file_Parts_upstream_words_js),
    PAGE_FILE("Screens/Approvals/approvals-screen.js", file_Screens_Approvals_approvals_screen_js),
    PAGE_FILE("Screens/Bulk/bulk-parts.js", file_Screens_Bulk_bulk_parts_js),
    PAGE_FILE("Screens/Bulk/bulk-screen.js", file_Screens_Bulk_bulk_screen_js),
    PAGE_FILE("Screens/Bulk/bulks-screen.js", file_Screens_Bulk_bulks_screen_js),
    PAGE_FILE("Screens/Compose/compose-screen.js", file_Screens_Compose_compose_screen_js),
    PAGE_FILE("Screens/Compose/compose.css", file_Screens_Compose_compose_css),
    PAGE_FILE("Screens/Compose/examples.js", file_Screens_Compose_examples_js),
    PAGE_FILE("Screens/Compose/own-labels.js", file_Screens_Compose_own_labels_js),
    PAGE_FILE("Screens/Compose/plan-view.js", file_Screens_Compose_plan_view_js),
    PAGE_FILE("Screens/Compose/secret-words.js", file_Screens_Compose_secret_words_js),
    PAGE_FILE("Screens/Connections/connections-screen.js", file_Screens_Connections_connections_screen_js),
    PAGE_FILE("Screens/Health/health-screen.js", file_Screens_Health_health_screen_js),
    PAGE_FILE("Screens/Health/health.css", file_Screens_Health_health_css),
    PAGE_FILE("Screens/Health/rates.js", file_Screens_Health_rates_js),
    PAGE_FILE("Screens/Hooks/delivery-mark.js", file_Screens_Hooks_delivery_mark_js),
    PAGE_FILE("Screens/Hooks/hook-screen.js", file_Screens_Hooks_hook_screen_js),
    PAGE_FILE("Screens/Hooks/hook-turns.js", file_Screens_Hooks_hook_turns_js),
    PAGE_FILE("Screens/Hooks/hooks-screen.js", file_Screens_Hooks_hooks_screen_js),
    PAGE_FILE("Screens/Job/arriving-view.js", file_Screens_Job_arriving_view_js),
    PAGE_FILE("Screens/Job/attempt-compare-view.js", file_Screens_Job_attempt_compare_view_js),
    PAGE_FILE("Screens/Job/attempt-compare.js", file_Screens_Job_attempt_compare_js),
    PAGE_FILE("Screens/Job/attempt-difference.js", file_Screens_Job_attempt_difference_js),
    PAGE_FILE("Screens/Job/attempts-view.js", file_Screens_Job_attempts_view_js),
    PAGE_FILE("Screens/Job/callback-view.js", file_Screens_Job_callback_view_js),
    PAGE_FILE("Screens/Job/events-view.js", file_Screens_Job_events_view_js),
    PAGE_FILE("Screens/Job/graph-model.js", file_Screens_Job_graph_model_js),
    PAGE_FILE("Screens/Job/graph-view.js", file_Screens_Job_graph_view_js),
    PAGE_FILE("Screens/Job/group-words.js", file_Screens_Job_group_words_js),
    PAGE_FILE("Screens/Job/job-screen.js", file_Screens_Job_job_screen_js),
    PAGE_FILE("Screens/Job/job.css", file_Screens_Job_job_css),
    PAGE_FILE("Screens/Job/operations-view.js", file_Screens_Job_operations_view_js),
    PAGE_FILE("Screens/Job/result-view.js", file_Screens_Job_result_view_js),
    PAGE_FILE("Screens/Job/sent-calls.js", file_Screens_Job_sent_calls_js),
    PAGE_FILE("Screens/Job/spec-model.js", file_Screens_Job_spec_model_js),
    PAGE_FILE("Screens/Job/spec-view.js", file_Screens_Job_spec_view_js),
    PAGE_FILE("Screens/Job/timeline-model.js", file_Screens_Job_timeline_model_js),
    PAGE_FILE("Screens/Job/timeline-view.js", file_Screens_Job_timeline_view_js),
    PAGE_FILE("Screens/Job/verdict.js", file_Screens_Job_verdict_js),
    PAGE_FILE("Screens/Jobs/filter-field.js", file_Screens_Jobs_filter_field_js),
    PAGE_FILE("Screens/Jobs/filter-words.js", file_Screens_Jobs_filter_words_js),
    PAGE_FILE("Screens/Jobs/job-filters.js", file_Screens_Jobs_job_filters_js),
    PAGE_FILE("Screens/Jobs/job-row.js", file_Screens_Jobs_job_row_js),
    PAGE_FILE("Screens/Jobs/jobs-screen.js", file_Screens_Jobs_jobs_screen_js),
    PAGE_FILE("Screens/Jobs/jobs.css", file_Screens_Jobs_jobs_css),
    PAGE_FILE("Screens/Jobs/list-model.js", file_Screens_Jobs_list_model_js),
    PAGE_FILE("Screens/Jobs/state-tabs.js", file_Screens_Jobs_state_tabs_js),
    PAGE_FILE("Screens/Origins/origins-screen.js", file_Screens_Origins_origins_screen_js),
    PAGE_FILE("Screens/Overview/failures-view.js", file_Screens_Overview_failures_view_js),
    PAGE_FILE("Screens/Overview/history-chart.js", file_Screens_Overview_history_chart_js),
    PAGE_FILE("Screens/Overview/history-model.js", file_Screens_Overview_history_model_js),
    PAGE_FILE("Screens/Overview/overview-screen.js", file_Screens_Overview_overview_screen_js),
    PAGE_FILE("Screens/Overview/overview.css", file_Screens_Overview_overview_css),
    PAGE_FILE("Screens/Overview/stuck-model.js", file_Screens_Overview_stuck_model_js),
    PAGE_FILE("Screens/Queues/queue-form.js", file_Screens_Queues_queue_form_js),
    PAGE_FILE("Screens/Queues/queue-parts.js", file_Screens_Queues_queue_parts_js),
    PAGE_FILE("Screens/Queues/queue-screen.js", file_Screens_Queues_queue_screen_js),
    PAGE_FILE("Screens/Queues/queues-screen.js", file_Screens_Queues_queues_screen_js),
    PAGE_FILE("Screens/Schedules/backfill-form.js", file_Screens_Schedules_backfill_form_js),
    PAGE_FILE("Screens/Schedules/cron-words.js", file_Screens_Schedules_cron_words_js),
    PAGE_FILE("Screens/Schedules/outcome-ticks.js", file_Screens_Schedules_outcome_ticks_js),
    PAGE_FILE("Screens/Schedules/schedule-form-screen.js", file_Screens_Schedules_schedule_form_screen_js),
    PAGE_FILE("Screens/Schedules/schedule-parts.js", file_Screens_Schedules_schedule_parts_js),
    PAGE_FILE("Screens/Schedules/schedule-screen.js", file_Screens_Schedules_schedule_screen_js),
    PAGE_FILE("Screens/Schedules/schedule-words.js", file_Screens_Schedules_schedule_words_js),
    PAGE_FILE("Screens/Schedules/schedules-screen.js", file_Screens_Schedules_schedules_screen_js),
    PAGE_FILE("Screens/Secrets/secrets-screen.js", file_Screens_Secrets_secrets_screen_js),
    PAGE_FILE("Screens/Servers/servers-screen.js", file_Screens_Servers_servers_screen_js),
    PAGE_FILE("Screens/Templates/templates-screen.js", file_Screens_Templates_templates_screen_js),
    PAGE_FILE("Shell/keys.js", file_Shell_keys_js),
    PAGE_FILE("Shell/route.js", file_Shell_route_js),
    PAGE_FILE("Shell/shell.css", file_Shell_shell_css),
    PAGE_FILE("Shell/shell.js", file_Shell_shell_js),
    PAGE_FILE("Shell/sign-in.js", file_Shell_sign_in_js),
    PAGE_FILE("View/base.css", file_View_base_css),
    PAGE_FILE("View/code-view.js", file_View_code_view_js),
    PAGE_FILE("View/copying.js", file_View_copying_js),
    PAGE_FILE("View/dialogs.js", file_View_dialogs_js),
    PAGE_FILE("View/dom.js", file_View_dom_js),
    PAGE_FILE("View/facts.js", file_View_facts_js),
    PAGE_FILE("View/hover-card.js", file_View_hover_card_js),
    PAGE_FILE("View/icons.js", file_View_icons_js),
    PAGE_FILE("View/notices.js", file_View_notices_js),
    PAGE_FILE("View/parts.css", file_View_parts_css),
    PAGE_FILE("View/preferences.js", file_View_preferences_js),
    PAGE_FILE("View/sparkline.js", file_View_sparkline_js),
    PAGE_FILE("View/states.js", file_View_states_js),
    PAGE_FILE("View/time-text.js", file_View_time_text_js),
    PAGE_FILE("View/tokens.css", file_View_tokens_css),
    PAGE_FILE("Wire/api.js", file_Wire_api_js),
    PAGE_FILE("Wire/job-actions.js", file_Wire_job_actions_js),
    PAGE_FILE("Wire/live.js", file_Wire_live_js),
    PAGE_FILE("Wire/metrics-text.js", file_Wire_metrics_text_js),
    PAGE_FILE("Wire/metrics.js", file_Wire_metrics_js),
    PAGE_FILE("Wire/polling.js", file_Wire_polling_js),
    PAGE_FILE("Wire/session.js", file_Wire_session_js),
    PAGE_FILE("icon.svg", file_icon_svg),
    PAGE_FILE("index.html", file_index_html),
    PAGE_FILE("main.css", file_main_css),
    PAGE_FILE("main.js", file_main_js),
};

size_t embedded_page_count(void) { return sizeof files / sizeof files[0]; }

struct embedded_page_file embedded_page(size_t index) { return files[index]; }
