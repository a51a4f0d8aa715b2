/**
 * Micrometer meters for running pipelines, and an endpoint for Prometheus and health probes. A background thread takes
 * a snapshot of each pipeline once a second. Scrapes read the meters of a pipeline from its last snapshot. Nothing in
 * this package runs per record, so metrics add no cost per record.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
