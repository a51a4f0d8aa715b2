package dev.weir.stream.internal.source;

import dev.weir.stream.Unfolded;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.Thrown;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Emits elements that an asynchronous function computes from a state. Confined to the stage's thread, except for
 * {@link #stop} and the completion of the function's stages.
 */
final class UnfoldAsyncSource<S, T> implements Stage<T> {

    private final Function<? super S, ? extends CompletionStage<Optional<Unfolded<S, T>>>> function;
    private final int room;
    private final StageEntry entry;
    private final SourceSignal signal;

    private S state;
    private @Nullable Answer<S, T> awaited;
    private volatile boolean stopped;

    private UnfoldAsyncSource(
            S state,
            Function<? super S, ? extends CompletionStage<Optional<Unfolded<S, T>>>> function,
            int room,
            StageEntry entry) {
        this.state = state;
        this.function = function;
        this.room = room;
        this.entry = entry;
        this.signal = new SourceSignal(entry);
    }

    static <S, T> BlueprintNode<T> node(
            String name, S initial, Function<? super S, ? extends CompletionStage<Optional<Unfolded<S, T>>>> function) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            var entry = assembly.fused(attributes);
            UnfoldAsyncSource<S, T> source =
                    new UnfoldAsyncSource<>(initial, function, attributes.bufferOr(Batch.DEFAULT_CAPACITY), entry);
            entry.onStop(source::stop);
            return assembly.polled(source);
        });
    }

    private void stop() {
        stopped = true;
        signal.raise();
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long start = System.nanoTime();
        Batch<T> batch = new Batch<>(1);
        boolean goesOn = takeAnswers(batch);
        if (batch.isEmpty() && goesOn) {
            Answer<S, T> next = ask();
            if (signal.await(() -> stopped || next.isThere(), deadlineNanos)) {
                start = System.nanoTime();
                goesOn = takeAnswers(batch);
            }
        }
        entry.meter().worked(batch.size(), batch.size(), start);
        return goesOn || !batch.isEmpty() ? batch : null;
    }

    /**
     * Adds the available results to the batch. Returns false at the end of the source. A failure after other results is
     * thrown by the next call.
     */
    private boolean takeAnswers(Batch<T> batch) {
        while (batch.size() < room && !stopped) {
            Answer<S, T> answer = ask();
            if (!answer.isThere() || (answer.failure != null && !batch.isEmpty())) {
                return true;
            }
            Optional<Unfolded<S, T>> unfolded = answer.get();
            if (unfolded.isEmpty()) {
                entry.ended();
                return false;
            }
            awaited = null;
            state = unfolded.get().next();
            batch.add(unfolded.get().element());
        }
        return !stopped;
    }

    private Answer<S, T> ask() {
        Answer<S, T> asked = awaited;
        if (asked == null) {
            asked = new Answer<>();
            awaited = asked;
            Answer<S, T> answer = asked;
            try {
                CompletionStage<Optional<Unfolded<S, T>>> stage =
                        Objects.requireNonNull(function.apply(state), "the function of unfoldAsync returned null");
                var ignored = stage.whenComplete((unfolded, failure) -> {
                    answer.complete(unfolded, failure);
                    signal.raise();
                });
            } catch (RuntimeException | Error thrown) {
                answer.complete(null, thrown);
            }
        }
        return asked;
    }

    @Override
    public void close() {}

    /** The outcome of one call of the function. The completing thread writes the fields and then sets {@code there}. */
    private static final class Answer<S, T> {

        private Optional<Unfolded<S, T>> unfolded = Optional.empty();
        private @Nullable Throwable failure;
        private volatile boolean there;

        @SuppressWarnings("NullableOptional") // the result is null if the stage failed
        void complete(@Nullable Optional<Unfolded<S, T>> with, @Nullable Throwable thrown) {
            if (with != null) {
                unfolded = with;
            } else {
                failure = thrown != null
                        ? Thrown.unwrapped(thrown)
                        : new NullPointerException("a stage of unfoldAsync was completed with null");
            }
            there = true;
        }

        boolean isThere() {
            return there;
        }

        Optional<Unfolded<S, T>> get() {
            if (failure != null) {
                throw FailureTransfer.rethrow(failure);
            }
            return unfolded;
        }
    }
}
