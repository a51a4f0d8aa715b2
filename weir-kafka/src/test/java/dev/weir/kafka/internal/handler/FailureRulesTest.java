package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.RecordDecoder;
import dev.weir.kafka.batch.BatchHandler;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.kafka.internal.handler.HandlerPlan.HandlerStage;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Source;
import java.nio.BufferUnderflowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureRulesTest {

    private final FailureRules rules =
            FailureRules.NONE.withRetry(RetryPolicy.of(3, Backoff.NONE)).withWayOut();
    private final RecordDecodeException ofAPart =
            new RecordDecodeException("inner", 0, 1, new IllegalStateException("no number"));
    private final List<Long> calls = new ArrayList<>();

    private List<HandlerOutcome<String>> outcomes(HandlerStage<byte[], byte[], String> stage)
            throws InterruptedException {
        return outcomes(rules, stage);
    }

    private static <R> List<HandlerOutcome<R>> outcomes(FailureRules given, HandlerStage<byte[], byte[], R> stage)
            throws InterruptedException {
        var decoder = new RecordDecoder<>(new ByteArrayDeserializer(), new ByteArrayDeserializer());
        return HandlerPlan.of(decoder, Ordering.<ConsumerRecord<byte[], byte[]>>input(), stage)
                .with(given)
                .outcomes(Source.single(new ConsumerRecord<>("t", 0, 7, new byte[1], new byte[1])))
                .toList();
    }

    private String handle(ConsumerRecord<byte[], byte[]> record) {
        calls.add(record.offset());
        throw ofAPart;
    }

    private CompletionStage<String> handleAsync(ConsumerRecord<byte[], byte[]> record) {
        calls.add(record.offset());
        return CompletableFuture.failedFuture(ofAPart);
    }

    // Regression: the run failed despite the dead-letter topic.
    @Test
    void decodeException_ofABlockingHandlerThatIsRetried_makesTheRecordFail() throws InterruptedException {
        assertThat(outcomes(HandlerStage.blocking(Parallelism.fixed(1), this::handle)))
                .singleElement()
                .isInstanceOf(HandlerOutcome.Failed.class);
        assertThat(calls).containsExactly(7L);
    }

    @Test
    void decodeException_ofAnAsynchronousHandlerThatIsRetried_makesTheRecordFail() throws InterruptedException {
        assertThat(outcomes(HandlerStage.async(1, this::handleAsync)))
                .singleElement()
                .isInstanceOf(HandlerOutcome.Failed.class);
        assertThat(calls).containsExactly(7L);
    }

    private final AtomicInteger closed = new AtomicInteger();

    /** The error that the tracer throws when an attempt has succeeded; if null, the tracer throws an exception. */
    private @Nullable Error fatal;

    /** A tracer that throws whenever an attempt ends. */
    private final RecordTracing hostile = new RecordTracing() {

        @Override
        public RecordTracing inGroup(String group) {
            return this;
        }

        @Override
        public Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records) {
            return records;
        }

        @Override
        public Attempt begin(ConsumerRecord<?, ?> record) {
            return new Attempt() {
                @Override
                public void succeeded() {
                    if (fatal != null) {
                        throw fatal;
                    }
                    throw new IllegalStateException("cannot note");
                }

                @Override
                public void failed(Throwable failure) {
                    throw new IllegalStateException("cannot note");
                }

                @Override
                public void close() {
                    closed.incrementAndGet();
                    throw new IllegalStateException("cannot close");
                }
            };
        }

        @Override
        public void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result) {}
    };

    private static <R> Throwable failure(FailureRules traced, HandlerStage<byte[], byte[], R> stage)
            throws InterruptedException {
        return outcomes(traced, stage).stream()
                .map(outcome -> ((HandlerOutcome.Failed<R>) outcome).failed().cause())
                .findFirst()
                .orElseThrow();
    }

    /** Regression: the dead-letter record named the tracer's exception instead of the handler's. */
    @Test
    void failure_thatTheTracerCannotNote_isStillTheRecords() throws InterruptedException {
        IllegalArgumentException planted = new IllegalArgumentException("planted");
        FailureRules traced = FailureRules.NONE.withWayOut().withTracing(hostile);
        assertThat(failure(traced, HandlerStage.blocking(Parallelism.fixed(1), record -> {
                    throw planted;
                })))
                .isSameAs(planted);
        assertThat(failure(traced, HandlerStage.async(1, record -> CompletableFuture.failedFuture(planted))))
                .isSameAs(planted);
        assertThat(failure(traced, batches(records -> {
                    throw planted;
                })))
                .isSameAs(planted);
        assertThat(planted.getSuppressed()).hasSize(5);
        assertThat(closed).hasValue(3);
    }

    private static HandlerStage<byte[], byte[], ConsumerRecord<byte[], byte[]>> batches(
            BatchHandler<byte[], byte[]> handler) {
        return (jobs, order, given) -> BatchGuard.under(jobs, 1, 2, Duration.ofSeconds(1), order, given, handler);
    }

    /** Regression: the pipeline failed with the predicate's exception, and the handler's exception was lost. */
    @Test
    void predicateThatThrows_doesNotReplaceTheFailureOfTheHandler() {
        IllegalArgumentException planted = new IllegalArgumentException("planted");
        FailureRules strict = FailureRules.NONE
                .withWayOut()
                .withRetry(RetryPolicy.of(2, Backoff.NONE).when(failure -> {
                    throw new IllegalStateException("in the predicate");
                }));
        CircuitBreaker breaker = CircuitBreaker.consecutive(1, Duration.ofSeconds(1))
                .counting(failure -> {
                    throw new IllegalStateException("in the predicate");
                });
        for (FailureRules given : List.of(strict, FailureRules.NONE.withBreaker(breaker))) {
            assertThatThrownBy(() -> outcomes(given, HandlerStage.blocking(Parallelism.fixed(1), record -> {
                        throw planted;
                    })))
                    .isSameAs(planted);
            assertThatThrownBy(() -> outcomes(given, batches(records -> {
                        throw planted;
                    })))
                    .isSameAs(planted);
        }
        assertThat(planted.getSuppressed()).hasSizeGreaterThanOrEqualTo(4);
    }

    /** Regression: the record was handled again, and its dead-letter record named the tracer's exception. */
    @Test
    void success_thatTheTracerCannotNote_isStillTheRecords() throws InterruptedException {
        FailureRules traced = rules.withTracing(hostile);
        assertThat(outcomes(traced, HandlerStage.blocking(Parallelism.fixed(1), this::count)))
                .hasOnlyElementsOfType(HandlerOutcome.Done.class);
        assertThat(outcomes(traced, HandlerStage.async(1, record -> CompletableFuture.completedFuture(count(record)))))
                .hasOnlyElementsOfType(HandlerOutcome.Done.class);
        assertThat(outcomes(traced, batches(records -> {
                    records.forEach(this::count);
                    return BatchOutcome.allDone(records);
                })))
                .hasOnlyElementsOfType(HandlerOutcome.Done.class);
        assertThat(calls).containsExactly(7L, 7L, 7L);
        assertThat(closed).hasValue(3);
    }

    /** Regression: only one pipeline of the process warned about its tracer. */
    @Test
    void warningsAboutTheTracers_areLimitedPerPipeline() {
        FailureRules first = rules.withTracing(hostile).withWayOut();
        FailureRules second = rules.withTracing(hostile).withWayOut();
        assertThat(first.warnings().isDue()).isTrue();
        assertThat(first.warnings().isDue()).isFalse();
        assertThat(second.warnings().isDue()).isTrue();
    }

    /** Regression: the run continued after an OutOfMemoryError. */
    @Test
    void success_thatRunsOutOfMemoryInTheTracer_failsTheRun() {
        fatal = new OutOfMemoryError("planned");
        FailureRules traced = FailureRules.NONE.withWayOut().withTracing(hostile);
        for (HandlerStage<byte[], byte[], ?> stage : List.<HandlerStage<byte[], byte[], ?>>of(
                HandlerStage.blocking(Parallelism.fixed(1), this::count),
                HandlerStage.async(1, record -> CompletableFuture.completedFuture(count(record))),
                batches(records -> BatchOutcome.allDone(records)))) {
            assertThatThrownBy(() -> outcomes(traced, stage)).isSameAs(fatal);
        }
    }

    private String count(ConsumerRecord<byte[], byte[]> record) {
        calls.add(record.offset());
        return "done";
    }

    /** Regression: the message said "null". */
    @Test
    void causeWithoutAMessage_isNamedByItsClass() {
        BufferUnderflowException cause = new BufferUnderflowException();
        assertThat(new RecordDecodeException("t", 0, 7, cause))
                .hasMessageStartingWith("cannot decode record t-0@7: java.nio.BufferUnderflowException; ");
        assertThat(new ProduceException("t", "", cause))
                .hasMessage("cannot write to topic t: java.nio.BufferUnderflowException");
    }
}
