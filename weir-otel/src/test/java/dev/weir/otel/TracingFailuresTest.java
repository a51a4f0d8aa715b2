package dev.weir.otel;

import static dev.weir.otel.Recorded.attribute;
import static dev.weir.otel.Recorded.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import io.opentelemetry.api.trace.StatusCode;
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
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
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

    private Traced<ConsumerRecord<String, String>> traced() {
        ConsumerRecord<String, String> record = record(0, "k", "v");
        TraceTarget target = TraceTarget.ofRecords(new Spans(recorded.openTelemetry, ""), false, 1);
        target.set(0, record, new Ended(), 0);
        return new Traced<>(record, new Place(target, 0));
    }

    /** Regression: the traced stage never completed, so the pipeline waited for it forever. */
    @Test
    void asyncFailure_thatCannotBeRead_completesTheStage() {
        @SuppressWarnings({"serial", "OverrideThrowableToString"})
        class Unreadable extends RuntimeException {
            @Override
            public String toString() {
                throw new UnsupportedOperationException("no text");
            }
        }
        CompletableFuture<String> open = new CompletableFuture<>();
        Traced<ConsumerRecord<String, String>> traced = traced();
        CompletableFuture<String> told = recorded.tracing
                .async((ConsumerRecord<String, String> each) -> open)
                .apply(traced)
                .toCompletableFuture();
        try {
            boolean ignored = open.completeExceptionally(new Unreadable());
        } catch (UnsupportedOperationException fromTheDerivedStage) {
            // The assertions below show the effect.
        }
        assertThat(told.isCompletedExceptionally()).isTrue();
        assertThat(told.handle((result, thrown) -> thrown).join()).isInstanceOf(Unreadable.class);
    }

    /** Regression: a function with tracing failed, although the same function without tracing did not. */
    @Test
    void asyncStage_withoutAFuture_isFollowed() throws InterruptedException {
        class WithoutFuture extends CompletableFuture<String> {
            @Override
            public <U> CompletableFuture<U> newIncompleteFuture() {
                @SuppressWarnings("unchecked") // only its toCompletableFuture is called, which throws
                CompletableFuture<U> derived = (CompletableFuture<U>) new WithoutFuture();
                return derived;
            }

            @Override
            public CompletableFuture<String> toCompletableFuture() {
                throw new UnsupportedOperationException("no future");
            }
        }
        WithoutFuture done = new WithoutFuture();
        boolean ignored = done.complete("done");
        assertThat(Source.of(record(0, "k", "v"))
                        .via(recorded.tracing.records())
                        .via(recorded.tracing.beside())
                        .mapAsync(1, recorded.tracing.async(each -> done))
                        .toList())
                .containsExactly("done");
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake
    void asyncFunction_thatReturnsNull_isNamed() {
        assertThatThrownBy(() -> recorded.tracing
                        .async((ConsumerRecord<String, String> each) -> (CompletableFuture<String>) null)
                        .apply(traced()))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("the function of async returned null, not a stage");
    }

    /** Regression: the span's description was "null". */
    @Test
    void failureWithoutAMessage_isDescribedByItsType() {
        Trace trace = Objects.requireNonNull(traced().trace());
        trace.failed(new UnsupportedOperationException());
        trace.end(false);
        SpanData span = recorded.spanOf("in", 0);
        assertThat(span.getStatus()).isEqualTo(StatusData.create(StatusCode.ERROR, ""));
        assertThat(attribute(span, "error.type")).isEqualTo("java.lang.UnsupportedOperationException");
    }

    @Test
    void cancelledStage_cancelsTheUsers() {
        CompletableFuture<String> open = new CompletableFuture<>();
        boolean ignored = recorded.tracing
                .async((ConsumerRecord<String, String> each) -> open)
                .apply(traced())
                .toCompletableFuture()
                .cancel(true);
        assertThat(open.isCancelled()).isTrue();
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
