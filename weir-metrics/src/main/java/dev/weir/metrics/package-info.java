/**
 * Micrometer meters of running pipelines, and an endpoint for Prometheus and health probes. A thread of the binder
 * takes a snapshot once a second; scrapes read the meters. Nothing in this package accesses records.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
