/**
 * Micrometer meters for running pipelines, and an endpoint for Prometheus and health probes. A background thread takes
 * a snapshot of each pipeline once a second, and scrapes read the meters from it. Nothing in this package touches
 * records, so metrics add no cost per record.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
