package dev.weir.otel;

import static dev.weir.otel.Recorded.attribute;
import static dev.weir.otel.Recorded.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests spans and acknowledgements when a user's propagator or span processor throws. */
class TracingFailuresTest {

    private static final TextMapPropagator THROWING = new TextMapPropagator() {
        @Override
        public Collection<String> fields() {
            return List.of();
        }

        @Override
        public <C> void inject(Context context, @Nullable C carrier, TextMapSetter<C> setter) {
            throw new IllegalStateException("cannot inject");
        }

        @Override
        public <C> Context extract(Context context, @Nullable C carrier, TextMapGetter<C> getter) {
            return context;
        }
    };

    private final Recorded recorded = new Recorded(THROWING);

    @Test
    void group_whoseContextCannotBeInjected_endsItsSpan() {
        Source<ProducerRecord<String, String>> injected = Source.of(record(0, "k", "v"), record(1, "k", "w"))
                .via(recorded.tracing.records())
                .grouped(2)
                .map(group -> new ProducerRecord<String, String>("out", Integer.toString(group.size())))
                .via(recorded.tracing.inject());
        assertThatThrownBy(injected::toList).hasStackTraceContaining("cannot inject");
        assertThat(recorded.spans())
                .extracting(span -> attribute(span, "messaging.batch.message_count"))
                .containsExactlyInAnyOrder("none", "none", 2L);
    }

    @Test
    void record_whoseContextCannotBeStored_endsItsSpan() {
        ConsumerRecord<String, String> record = record(0, "k", "v");
        assertThatThrownBy(() -> recorded.tracing.begin(record)).hasMessage("cannot inject");
        SpanData span = recorded.spanOf("in", 0);
        assertThat(attribute(span, "error.type")).isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void acknowledgement_whoseSpanCannotBeEnded_reachesTheSource() {
        OpenTelemetrySdk failing = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(new ThrowingProcessor())
                        .build())
                .build();
        Ended ended = new Ended();
        TraceTarget target = TraceTarget.ofRecords(new Spans(failing, ""), false, 3);
        for (int i = 0; i < 3; i++) {
            target.set(i, record(i, "k", "v"), ended, i);
            assertThat(target.trace(i)).isNotNull();
        }
        assertThatThrownBy(() -> target.ack(0)).hasMessage("cannot end");
        assertThatThrownBy(() -> target.forgo(1)).hasMessage("cannot end");
        assertThatThrownBy(() -> target.abandon(2)).hasMessage("cannot end");
        assertThat(ended.outcomes).containsExactly("0 ack", "1 forgo", "2 abandon");
    }

    /** Regression: a traced record still belonged to its group after it had left, and counted as finished there. */
    @Test
    void tracedRecord_forgoneAfterItLeftAGroup_isForgoneInItsSource() throws Exception {
        Ended ended = new Ended();
        Iterator<Batch<ConsumerRecord<String, String>>> batches = List.of(Batch.<ConsumerRecord<String, String>>of(
                        new Object[] {record(0, "k", "v"), record(1, "k", "w")}, 2, ended, new long[] {0, 1}))
                .iterator();
        Source.<ConsumerRecord<String, String>>custom("records", context -> new Stage<>() {
                    @Override
                    public @Nullable Batch<ConsumerRecord<String, String>> pull(long deadlineNanos) {
                        return batches.hasNext() ? batches.next() : null;
                    }

                    @Override
                    public void close() {}
                })
                .groupBy(ConsumerRecord::key, 1, group -> group.via(recorded.tracing.records()))
                .take(1)
                .toList();
        assertThat(ended.outcomes).contains("0 ack", "1 forgo").doesNotContain("0 forgo");
    }

    /** Notes how each element ended. */
    private static final class Ended implements AckTarget {

        final List<String> outcomes = new ArrayList<>();

        @Override
        public void ack(long token) {
            outcomes.add(token + " ack");
        }

        @Override
        public void forgo(long token) {
            outcomes.add(token + " forgo");
        }

        @Override
        public void abandon(long token) {
            outcomes.add(token + " abandon");
        }

        @Override
        public void retain(long token, int more) {}
    }

    private static final class ThrowingProcessor implements SpanProcessor {

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {}

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            throw new IllegalStateException("cannot end");
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }
    }
}
