package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.HandlerTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Tests the timeouts of calls with a real timer. */
class TimedCallTest {

    private static final ConsumerRecord<byte[], byte[]> RECORD =
            new ConsumerRecord<>("orders", 3, 42, new byte[1], new byte[1]);
    private static final Duration SHORT = Duration.ofMillis(5);
    private static final Duration LONG = Duration.ofDays(1);

    private static Object awaitForEver() throws InterruptedException {
        new CountDownLatch(1).await();
        return "never";
    }

    @Test
    void call_thatReturnsInTime_givesItsResultAndIsNotInterrupted() throws Exception {
        assertThat(TimedCall.call(() -> "done", LONG, RECORD)).isEqualTo("done");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void call_thatTakesTooLong_isInterruptedAndNamesItsRecord() {
        assertThatThrownBy(() -> TimedCall.call(TimedCallTest::awaitForEver, SHORT, RECORD))
                .isInstanceOf(HandlerTimeoutException.class)
                .hasCauseInstanceOf(InterruptedException.class)
                .hasMessageContaining("orders-3@42");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void call_thatTurnsTheInterruptIntoSomethingElse_hasTimedOutAllTheSame() {
        assertThatThrownBy(() -> TimedCall.call(
                        () -> {
                            try {
                                return awaitForEver();
                            } catch (InterruptedException interrupted) {
                                throw new IllegalStateException("wrapped", interrupted);
                            }
                        },
                        SHORT,
                        RECORD))
                .isInstanceOf(HandlerTimeoutException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void call_thatSwallowsTheInterruptAndReturns_isDoneAndLeavesNoInterruptBehind() throws Exception {
        Object result = TimedCall.call(
                () -> {
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                    return "late";
                },
                SHORT,
                RECORD);
        assertThat(result).isEqualTo("late");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void call_thatFailsByItself_throwsWhatItThrew() {
        assertThatThrownBy(() -> TimedCall.call(
                        () -> {
                            throw new IllegalStateException("own fault");
                        },
                        LONG,
                        RECORD))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("own fault");
    }

    @Test
    void interrupt_ofTheRunItself_isNotTakenForATimeout() {
        assertThatThrownBy(() -> TimedCall.call(
                        () -> {
                            Thread.currentThread().interrupt();
                            return awaitForEver();
                        },
                        LONG,
                        RECORD))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void timer_thatFiresAfterTheEnd_interruptsNobody() {
        TimedCall call = new TimedCall();
        assertThat(call.end()).isFalse();
        call.interrupt();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(call.end()).isFalse();
    }
}
