/**
 * Tracing of a pipeline's elements with the OpenTelemetry API. The producer's trace context is read from the headers of
 * each record, and the application's SDK exports spans. A record's span ends with its last pending acknowledgement.
 * Starts no threads.
 */
@NullMarked
package dev.weir.otel;

import org.jspecify.annotations.NullMarked;
