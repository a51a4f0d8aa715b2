package dev.weir.otel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Collects ended spans with OpenTelemetry's SDK, and creates records as a traced producer would write them. */
final class Recorded {

    static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    final OpenTelemetry openTelemetry;
    final Tracing tracing;

    Recorded() {
        this(TextMapPropagator.composite(W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance()));
    }

    Recorded(TextMapPropagator propagator) {
        openTelemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                        .build())
                .setPropagators(ContextPropagators.create(propagator))
                .build();
        tracing = Tracing.of(openTelemetry);
    }

    List<SpanData> spans() {
        return exporter.getFinishedSpanItems();
    }

    /** Returns the only span of the record at the given offset of a topic. */
    SpanData spanOf(String topic, long offset) {
        List<SpanData> found = spans().stream()
                .filter(span -> span.getName().equals("process " + topic))
                .filter(span -> Long.valueOf(offset).equals(attribute(span, "kafka.offset")))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("spans of " + topic + "@" + offset + ": " + found);
        }
        return found.getFirst();
    }

    static Object attribute(SpanData span, String key) {
        return span.getAttributes().asMap().entrySet().stream()
                .filter(each -> each.getKey().getKey().equals(key))
                .findFirst()
                .map(each -> each.getValue())
                .orElse("none");
    }

    /** Returns the id of the producer's span for the record at the given offset. */
    static String producerSpan(long offset) {
        return String.format("%016x", offset + 1);
    }

    static String traceparent(long offset) {
        return "00-" + TRACE + "-" + producerSpan(offset) + "-01";
    }

    /** Returns a record of topic {@code in} that a producer has written within a trace. */
    static ConsumerRecord<String, String> record(long offset, String key, String value) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("traceparent", traceparent(offset).getBytes(UTF_8));
        headers.add("tracestate", "vendor=7".getBytes(UTF_8));
        headers.add("baggage", "tenant=blue".getBytes(UTF_8));
        return new ConsumerRecord<>(
                "in", 0, offset, 0, TimestampType.CREATE_TIME, 1, 1, key, value, headers, Optional.empty());
    }

    static String header(Headers headers, String key) {
        return new String(headers.lastHeader(key).value(), UTF_8);
    }
}
