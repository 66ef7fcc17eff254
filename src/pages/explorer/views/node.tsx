import type { ViewProps } from '../router.ts';
export function NodeView({ route }: ViewProps) {
  return <h1 tabIndex={-1}>{route.view}</h1>;
}
