/**
 * Tracing of a pipeline's elements with the OpenTelemetry API. The trace context of the producer is read from the
 * headers of each record, and spans are exported by the application's SDK. The span of a record ends with its last
 * pending acknowledgement. Starts no threads.
 */
@NullMarked
package dev.weir.otel;

import org.jspecify.annotations.NullMarked;
