/**
 * Meters of running pipelines for Micrometer, and an endpoint for Prometheus and for health probes. Snapshots come in,
 * once a second and by a thread of the binder; meters go out to whoever scrapes. Nothing here touches a record.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
