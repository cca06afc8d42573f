export interface ThingsTable {
  id: string
  title: string
}
