package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Gate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsyncCallsTest {

    private final List<String> events = new ArrayList<>();

    /** Opens at once, unless the thread was interrupted or the element was revoked. */
    private final class Open implements Gate<Integer> {

        @Override
        public boolean enter(Integer element, BooleanSupplier revoked) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            events.add("enter " + element);
            return element >= 0;
        }

        @Override
        public void leave(Integer element) {
            events.add("leave " + element);
        }

        @Override
        public void lookAgain() {}
    }

    private static @Nullable Object resultOf(@Nullable CompletionStage<? extends Integer> stage) {
        return stage == null ? null : stage.toCompletableFuture().join();
    }

    private CompletionStage<Integer> called(Integer element) {
        events.add("call " + element);
        return CompletableFuture.completedFuture(element);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void element_refusedByTheGate_isNotPassedToTheFunction(boolean retried) {
        AsyncCalls<Integer, Integer> calls = new AsyncCalls<>("test", this::called, new Open(), retried);
        assertThat(calls.call(-1, () -> true)).isNull();
        assertThat(events).containsExactly("enter -1");
        assertThat(resultOf(calls.call(1, () -> false))).isEqualTo(1);
        assertThat(events).containsExactly("enter -1", "enter 1", "call 1");
    }

    /** The element was revoked while the call waited for other calls, after it had passed the gate. */
    @Test
    void element_revokedBeforeItsTurn_leavesTheGate() {
        AsyncCalls<Integer, Integer> gated = new AsyncCalls<>("test", this::called, new Open(), true);
        assertThat(gated.call(1, () -> true)).isNull();
        assertThat(events).containsExactly("enter 1", "leave 1");
        AsyncCalls<Integer, Integer> free = new AsyncCalls<>("test", this::called, true);
        assertThat(free.call(2, () -> true)).isNull();
        assertThat(events).hasSize(2);
        assertThat(resultOf(free.call(3, () -> false))).isEqualTo(3);
    }

    @Test
    void interruptAtTheGate_isKeptAndFailsTheCall() {
        AsyncCalls<Integer, Integer> calls = new AsyncCalls<>("test", this::called, new Open(), false);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> calls.call(1, () -> false))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(events).isEmpty();
    }

    /** Another thread can make a call after a function has thrown. */
    @Test
    void functionThatThrows_givesItsTurnBack() throws Exception {
        AsyncCalls<Integer, Integer> calls = new AsyncCalls<>(
                "test",
                n -> {
                    if (n == 0) {
                        throw new IllegalStateException("planted");
                    }
                    return called(n);
                },
                true);
        assertThatThrownBy(() -> calls.call(0, () -> false)).hasMessage("planted");
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> calls.call(1, () -> false) != null);
        assertThat(other.get()).isTrue();
    }

    private static AsyncCalls<Integer, Integer> failing(Throwable failure) {
        return new AsyncCalls<>("test", n -> CompletableFuture.failedFuture(failure), false);
    }

    @Test
    void callAndWait_returnsTheResult_orThrowsTheFailureItself() throws Exception {
        AsyncCalls<Integer, Integer> calls = new AsyncCalls<>("test", this::called, new Open(), false);
        assertThat(calls.callAndWait(1, () -> false)).isEqualTo(1);
        assertThat(calls.callAndWait(-1, () -> true)).isNull();
        IOException exception = new IOException("planted");
        assertThatThrownBy(() -> failing(new CompletionException(exception)).callAndWait(1, () -> false))
                .isSameAs(exception);
        AssertionError error = new AssertionError("planted");
        assertThatThrownBy(() -> failing(error).callAndWait(1, () -> false)).isSameAs(error);
        Throwable other = new Throwable("planted");
        assertThatThrownBy(() -> failing(other).callAndWait(1, () -> false)).hasCause(other);
    }
}
