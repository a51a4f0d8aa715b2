/**
 * Tracing of a pipeline's elements with the OpenTelemetry API. Records arrive with the headers of their producers;
 * spans are reported to the application's SDK. A record's span lasts as long as its pending acknowledgements. Starts no
 * threads.
 */
@NullMarked
package dev.weir.otel;

import org.jspecify.annotations.NullMarked;
