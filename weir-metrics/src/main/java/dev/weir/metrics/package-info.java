/**
 * Micrometer meters for running pipelines, and an endpoint for Prometheus and health probes. A background thread reads
 * each pipeline once a second, and scrapes return the last reading. Nothing in this package runs per record.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
