/**
 * Tracing of a pipeline's elements with the OpenTelemetry API. Records come in with the headers of their producers;
 * spans go out to the application's SDK. A record's span lives as long as its pending acknowledgements. Starts no
 * threads.
 */
@NullMarked
package dev.weir.otel;

import org.jspecify.annotations.NullMarked;
