// Grafana's own types of what packaging/grafana/hub.json has: a file that
// tests/contract/packaging.rs makes names the dashboard and its panels with them.

import type { AnnotationQuery, Dashboard as Whole } from "@grafana/schema";
import type { Options as Stat } from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type { FieldConfig as Cell, Options as Table } from "@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen";
import type { FieldConfig as Line, Options as Series } from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";

// As a file of JSON has it: the texts of an enumeration and not its names.
type Plain<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

// What the data source of Prometheus reads of an annotation is not in the types.
type Annotation = AnnotationQuery & { expr?: string; titleFormat?: string; textFormat?: string };

export type Dashboard = Plain<Omit<Whole, "annotations"> & { annotations?: { list?: Annotation[] } }>;

// What a kind of panel may have beside what all have.
interface Kinds {
  stat: { options: Partial<Stat>; custom: Record<string, never> };
  table: { options: Partial<Table>; custom: Partial<Cell> };
  timeseries: { options: Partial<Series>; custom: Partial<Line> };
}
export type Panels = { [K in keyof Kinds]: Plain<Kinds[K]>[] };
