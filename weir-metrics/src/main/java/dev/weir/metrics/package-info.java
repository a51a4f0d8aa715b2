/**
 * Meters of running pipelines for Micrometer, and an endpoint for Prometheus and for health probes. A thread of the
 * binder takes a snapshot once a second; scrapes read the meters. Nothing here touches records.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
