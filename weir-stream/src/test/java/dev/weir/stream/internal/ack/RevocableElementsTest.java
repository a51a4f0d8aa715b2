package dev.weir.stream.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

class RevocableElementsTest {

    private final RecordingTarget source = new RecordingTarget().revoked();
    private Batch<?> held = new Batch<>(0);
    private int searches;
    private final RevocableElements elements = new RevocableElements(this::takeRevoked);

    private Batch<?> takeRevoked() {
        searches++;
        Batch<?> revoked = held;
        held = new Batch<>(0);
        return revoked;
    }

    private void hold(long token) {
        held = Batch.of(new Object[] {token}, 1, source, new long[] {token});
    }

    /** A clock whose waits end at the deadline, unless an action is set. Confined to one thread. */
    private static final class InstantClock implements Clock {

        private long now;
        private Runnable inWait = () -> {};
        private int waits;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) {
            if (waits++ == 0) {
                inWait.run();
            } else {
                now = deadlineNanos;
            }
        }
    }

    @Test
    void dropRevoked_whileTheStageRests_dropsAtOnce() {
        hold(1);
        elements.dropRevoked();
        assertThat(source.calls()).containsExactly("drop 1");
    }

    @Test
    void dropRevoked_whileTheStageWorks_dropsOnceAfterwards() {
        elements.beginWork();
        hold(1);
        elements.dropRevoked();
        elements.dropRevoked();
        assertThat(searches).isZero();
        elements.endWork();
        assertThat(source.calls()).containsExactly("drop 1");
        elements.beginWork();
        elements.endWork();
        assertThat(searches).isEqualTo(1);
        hold(2);
        elements.dropRevoked();
        assertThat(source.calls()).containsExactly("drop 2");
    }

    @Test
    void find_whileTheStageWorks_findsNothing() {
        assertThat(elements.<String>find(() -> "found")).isEqualTo("found");
        elements.beginWork();
        assertThat(elements.<String>find(() -> "found")).isNull();
        elements.endWork();
        assertThat(elements.<String>find(() -> "found")).isEqualTo("found");
    }

    @Test
    void wasCalled_isTrueOnceAfterEachCall() {
        assertThat(elements.wasCalled()).isFalse();
        elements.dropRevoked();
        elements.dropRevoked();
        assertThat(elements.wasCalled()).isTrue();
        assertThat(elements.wasCalled()).isFalse();
        elements.beginWork();
        elements.dropRevoked();
        assertThat(elements.wasCalled()).isTrue();
    }

    @Test
    void awaitCall_withoutACall_waitsUntilTheDeadline() throws Exception {
        InstantClock clock = new InstantClock();
        assertThat(elements.awaitCall(clock, 100)).isFalse();
        assertThat(clock.waits).isEqualTo(2);
        assertThat(elements.awaitCall(clock, 100)).isFalse();
        assertThat(clock.waits).isEqualTo(2);
    }

    @Test
    void awaitCall_returnsAfterEachCall_beforeOrDuringTheWait() throws Exception {
        InstantClock clock = new InstantClock();
        elements.dropRevoked();
        assertThat(elements.awaitCall(clock, 100)).isTrue();
        assertThat(clock.waits).isZero();
        clock.inWait = elements::dropRevoked;
        assertThat(elements.awaitCall(clock, 100)).isTrue();
        assertThat(clock.waits).isEqualTo(1);
        assertThat(elements.awaitCall(clock, 100)).isFalse();
    }

    @Test
    void awaitCall_isWokenByACallOfAnotherThread() throws Exception {
        CompletableFuture<Boolean> called = new CompletableFuture<>();
        Thread stage = Thread.ofVirtual().start(() -> {
            try {
                called.complete(elements.awaitCall(Clock.SYSTEM, Stage.NEVER));
            } catch (InterruptedException e) {
                called.completeExceptionally(e);
            }
        });
        while (stage.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        elements.dropRevoked();
        assertThat(stage.join(Duration.ofSeconds(20))).isTrue();
        assertThat(called.get()).isTrue();
    }
}
