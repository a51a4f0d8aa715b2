package dev.weir.otel;

import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Flow;
import dev.weir.stream.Handler;
import dev.weir.stream.Source;
import io.opentelemetry.api.OpenTelemetry;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Creates a span for each record of a pipeline, makes it current while user code handles the record, and propagates its
 * context in the headers of produced records. Immutable and safe to share.
 *
 * {@snippet :
 * Tracing tracing = Tracing.of(openTelemetry);
 * KafkaFlow.from(orders, "orders")
 *         .handle(64, RecordOrdering.byKey(), order -> price(order.value()))
 *         .with(tracing)
 *         .produceTo(invoices, invoice -> new ProducerRecord<>("invoices", invoice));
 *
 * KafkaSource.from(orders, "orders").atLeastOnce()
 *         .via(tracing.records())
 *         .via(tracing.beside())
 *         .mapBlocking(64, Ordering.unordered(), tracing.handler(order -> priced(order)))
 *         .via(tracing.inject())
 *         .to(KafkaSink.with(invoices).records());
 * }
 *
 * <p>The propagators of the given {@link OpenTelemetry} read the context from a record's headers once, before user code
 * is first called for the record. All operators find the context through the record's acknowledgement. The span ends
 * with the record's last pending acknowledgement. If the record is never finished, its span never ends.
 */
public final class Tracing implements RecordTracing {

    private final Spans spans;

    private Tracing(Spans spans) {
        this.spans = spans;
    }

    /** Creates an instance with the tracer and the propagators of {@code openTelemetry}. */
    public static Tracing of(OpenTelemetry openTelemetry) {
        return new Tracing(new Spans(Objects.requireNonNull(openTelemetry, "openTelemetry"), ""));
    }

    /** Returns a copy that adds the name of the consumer group to its spans. */
    @Override
    public Tracing inGroup(String group) {
        return new Tracing(spans.inGroup(Objects.requireNonNull(group, "group")));
    }

    /** Starts tracing consumed records. Must be placed directly after the source. */
    public <K, V> Flow<ConsumerRecord<K, V>, ConsumerRecord<K, V>> records() {
        return Flow.of(
                "trace",
                records -> records.stage(
                        "records", (above, context) -> new RecordStage<>(above, context.meter(), spans, false)));
    }

    /**
     * Pairs each element with the trace of its record, for the functions that this class wraps. An element derived from
     * several records, for example by {@code grouped}, gets its own span with links to their spans. An element without
     * a record has no trace, and wrapped functions are called for it without a span.
     */
    public <T> Flow<T, Traced<T>> beside() {
        return Flow.of(
                "trace",
                elements -> elements.stage(
                        "beside",
                        (above, context) -> new PlaceStage<T, Traced<T>>(above, context.meter(), spans, Traced::new)));
    }

    /**
     * Writes the trace context of each element's record to the headers of the {@link ProducerRecord}, which must not be
     * read-only.
     */
    public <K, V> Flow<ProducerRecord<K, V>, ProducerRecord<K, V>> inject() {
        return Flow.of(
                "trace",
                records -> records.stage(
                        "inject",
                        (above, context) -> new PlaceStage<ProducerRecord<K, V>, ProducerRecord<K, V>>(
                                above, context.meter(), spans, (record, place) -> {
                                    Trace trace = place == null ? null : place.trace();
                                    if (trace != null) {
                                        spans.inject(trace, record.headers());
                                    }
                                    return record;
                                })));
    }

    /** Wraps {@code function} for use after {@link #beside}. The element's span is current during the call. */
    public <T, R> Function<Traced<T>, R> function(Function<? super T, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        Handler<Traced<T>, R> handler = handler(function::apply);
        return traced -> {
            try {
                return handler.handle(traced);
            } catch (RuntimeException unchecked) {
                throw unchecked;
            } catch (Exception impossible) {
                throw new AssertionError("a function threw a checked exception", impossible);
            }
        };
    }

    /** Wraps {@code handler} for use after {@link #beside}. The element's span is current during the call. */
    public <T, R> Handler<Traced<T>, R> handler(Handler<? super T, ? extends R> handler) {
        Objects.requireNonNull(handler, "handler");
        return traced -> {
            Trace trace = traced.trace();
            if (trace == null) {
                return handler.handle(traced.value());
            }
            try {
                Callable<R> call = () -> handler.handle(traced.value());
                R result = trace.context().wrap(call).call();
                trace.succeeded();
                return result;
            } catch (Throwable thrown) {
                trace.failed(thrown);
                throw thrown;
            }
        };
    }

    /**
     * Wraps an asynchronous {@code function} for use after {@link #beside}. The element's span is current during the
     * call, but not on other threads of the returned stage. Cancelling the result cancels that stage.
     */
    public <T, R> Function<Traced<T>, CompletionStage<R>> async(
            Function<? super T, ? extends CompletionStage<R>> function) {
        Objects.requireNonNull(function, "function");
        return traced -> {
            Trace trace = traced.trace();
            if (trace == null) {
                return function.apply(traced.value());
            }
            try {
                Supplier<CompletionStage<R>> call = () -> function.apply(traced.value());
                CompletionStage<R> stage = trace.context().wrapSupplier(call).get();
                return followed(
                        trace, Objects.requireNonNull(stage, "the function of async returned null, not a stage"));
            } catch (Throwable thrown) {
                trace.failed(thrown);
                throw thrown;
            }
        };
    }

    private static <R> CompletionStage<R> followed(Trace trace, CompletionStage<R> stage) {
        CompletableFuture<R> told = new CompletableFuture<>();
        // A stage derived by whenComplete would call toString of the user's exception, which may throw.
        var ignored = stage.handle((result, thrown) -> {
            // Update the trace first: the pipeline may acknowledge the record at once, which ends the span.
            if (thrown == null) {
                trace.succeeded();
                return told.complete(result);
            }
            trace.failed(thrown);
            return told.completeExceptionally(thrown);
        });
        var unused = told.handle((result, thrown) ->
                told.isCancelled() && stage.toCompletableFuture().cancel(true));
        return told;
    }

    @Override
    public Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records) {
        return records.stage("trace", (above, context) -> new RecordStage<>(above, context.meter(), spans, true));
    }

    @Override
    public Attempt begin(ConsumerRecord<?, ?> record) {
        return Call.of(spans.inHeaders(record), record.headers());
    }

    @Override
    public void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result) {
        Trace trace = TraceHeader.find(record.headers());
        if (trace != null) {
            spans.inject(trace, result.headers());
        }
    }
}
