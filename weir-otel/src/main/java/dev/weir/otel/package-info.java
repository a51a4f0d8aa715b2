/**
 * Trace context beside each element of a pipeline, by the API of OpenTelemetry. Records come in with the headers of
 * their producers, spans go out to the SDK of the application. A record's span belongs to its claims; no thread is
 * started here.
 */
@NullMarked
package dev.weir.otel;

import org.jspecify.annotations.NullMarked;
