// The page. A screen is a folder below Screens, a line in each of these lists, and its style sheet in main.css.
import { startShell } from "./Shell/shell.js";
import { overviewScreen } from "./Screens/Overview/overview-screen.js";
import { jobsScreen } from "./Screens/Jobs/jobs-screen.js";
import { jobScreen } from "./Screens/Job/job-screen.js";
import { composeScreen } from "./Screens/Compose/compose-screen.js";
import { approvalsScreen } from "./Screens/Approvals/approvals-screen.js";
import { queueScreen } from "./Screens/Queues/queue-screen.js";
import { queuesScreen } from "./Screens/Queues/queues-screen.js";
import { scheduleFormScreen } from "./Screens/Schedules/schedule-form-screen.js";
import { scheduleScreen } from "./Screens/Schedules/schedule-screen.js";
import { schedulesScreen } from "./Screens/Schedules/schedules-screen.js";
import { serversScreen } from "./Screens/Servers/servers-screen.js";
import { templatesScreen } from "./Screens/Templates/templates-screen.js";
import { bulkScreen } from "./Screens/Bulk/bulk-screen.js";
import { bulksScreen } from "./Screens/Bulk/bulks-screen.js";
import { connectionsScreen } from "./Screens/Connections/connections-screen.js";
import { secretsScreen } from "./Screens/Secrets/secrets-screen.js";
import { originsScreen } from "./Screens/Origins/origins-screen.js";
import { hookScreen } from "./Screens/Hooks/hook-screen.js";
import { hooksScreen } from "./Screens/Hooks/hooks-screen.js";
import { healthScreen } from "./Screens/Health/health-screen.js";

startShell([
  overviewScreen, jobsScreen, jobScreen, composeScreen, approvalsScreen, queuesScreen, queueScreen, schedulesScreen, scheduleScreen,
  scheduleFormScreen, bulksScreen, bulkScreen, templatesScreen, hooksScreen, hookScreen, connectionsScreen, secretsScreen,
  originsScreen, serversScreen, healthScreen,
]);
