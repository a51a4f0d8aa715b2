package dev.weir.otel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Starts spans, and reads and writes trace headers. Names follow OpenTelemetry's semantic conventions for messaging and
 * Kafka, version 1.45. Immutable.
 */
final class Spans {

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> TOPIC = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("messaging.consumer.group.name");
    private static final AttributeKey<Long> OFFSET = AttributeKey.longKey("kafka.offset");
    private static final AttributeKey<String> KEY = AttributeKey.stringKey("kafka.message.key");
    private static final AttributeKey<Boolean> TOMBSTONE = AttributeKey.booleanKey("kafka.message.tombstone");
    private static final AttributeKey<Long> BATCH = AttributeKey.longKey("messaging.batch.message_count");
    private static final String PROCESS = "process";

    private static final TextMapGetter<Headers> GETTER = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // OpenTelemetry before 1.68 requires this method
        public Iterable<String> keys(Headers headers) {
            List<String> keys = new ArrayList<>();
            headers.forEach(header -> keys.add(header.key()));
            return keys;
        }

        @Override
        public @Nullable String get(@Nullable Headers headers, String key) {
            Header header = headers == null ? null : headers.lastHeader(key);
            byte[] value = header == null ? null : header.value();
            return value == null ? null : new String(value, UTF_8);
        }
    };

    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final String group;

    Spans(OpenTelemetry openTelemetry, String group) {
        this(
                openTelemetry.getTracer("dev.weir.otel"),
                openTelemetry.getPropagators().getTextMapPropagator(),
                group);
    }

    private Spans(Tracer tracer, TextMapPropagator propagator, String group) {
        this.tracer = tracer;
        this.propagator = propagator;
        this.group = group;
    }

    Spans inGroup(String newGroup) {
        return new Spans(tracer, propagator, newGroup);
    }

    /** Starts the span of a record as a child of the producer's span, with a link to it. */
    Trace begin(ConsumerRecord<?, ?> record) {
        Context producer = propagator.extract(Context.root(), record.headers(), GETTER);
        SpanBuilder builder = span(record.topic())
                .setParent(producer)
                .setAttribute(PARTITION, Integer.toString(record.partition()))
                .setAttribute(OFFSET, record.offset());
        SpanContext link = Span.fromContext(producer).getSpanContext();
        if (link.isValid()) {
            builder.addLink(link);
        }
        if (record.key() instanceof String key) {
            builder.setAttribute(KEY, key);
        }
        if (record.value() == null) {
            builder.setAttribute(TOMBSTONE, true);
        }
        Span span = builder.startSpan();
        return new Trace(span, producer.with(span), record.topic());
    }

    /** Starts a span for a group of records, with links to their spans. */
    Trace begin(List<Trace> members) {
        List<String> topics = members.stream().map(Trace::topic).distinct().toList();
        String topic = topics.size() == 1 ? topics.getFirst() : "";
        SpanBuilder builder = span(topic).setNoParent().setAttribute(BATCH, (long) members.size());
        members.forEach(member -> builder.addLink(member.span().getSpanContext()));
        Span span = builder.startSpan();
        return new Trace(span, Context.root().with(span), topic);
    }

    private SpanBuilder span(String topic) {
        SpanBuilder builder = tracer.spanBuilder(topic.isEmpty() ? PROCESS : PROCESS + " " + topic)
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(SYSTEM, "kafka")
                .setAttribute(OPERATION_TYPE, PROCESS)
                .setAttribute(OPERATION_NAME, PROCESS);
        if (!topic.isEmpty()) {
            builder.setAttribute(TOPIC, topic);
        }
        if (!group.isEmpty()) {
            builder.setAttribute(GROUP, group);
        }
        return builder;
    }

    /**
     * Returns the trace in a record's headers, or starts one and stores it there if the propagator writes headers. Must
     * be called by one thread at a time.
     */
    Trace inHeaders(ConsumerRecord<?, ?> record) {
        Trace kept = TraceHeader.find(record.headers());
        if (kept != null) {
            return kept;
        }
        Trace begun = begin(record);
        try {
            inject(begun, record.headers());
        } catch (RuntimeException | Error thrown) {
            // Without a header, the record's last acknowledgement does not find the span, so end it here.
            if (TraceHeader.find(record.headers()) == null) {
                begun.failed(thrown);
                begun.end(true);
            }
            throw thrown;
        }
        return begun;
    }

    void inject(Trace trace, Headers headers) {
        propagator.inject(trace.context(), headers, (into, key, value) -> {
            if (into != null) {
                into.remove(key).add(new TraceHeader(key, value.getBytes(UTF_8), trace));
            }
        });
    }
}
