package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.produce.Message;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AnswerSignalTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualClock clock = new VirtualClock();
    private final AnswerSignal signal = new AnswerSignal(clock);
    private final AtomicInteger interrupts = new AtomicInteger();

    private MessageInFlight<String, String, String> message(int records) {
        List<ProducerRecord<String, String>> all = Collections.nCopies(records, new ProducerRecord<>("out", "v"));
        return new MessageInFlight<>(Message.multi(all, "p"), AckTarget.NONE, 0, signal);
    }

    private static void answer(MessageInFlight<String, String, String> message, int index) {
        message.sending(index, index).element.answer("written");
    }

    /** Starts a wait of a second for a message, and returns once it has begun. */
    private Thread awaiting(MessageInFlight<String, String, String> message) throws InterruptedException {
        long deadlineNanos = clock.after(SECOND.toNanos());
        Thread waiting = Thread.ofPlatform().daemon().start(() -> {
            try {
                signal.await(message, deadlineNanos);
            } catch (InterruptedException e) {
                interrupts.incrementAndGet();
            }
        });
        clock.awaitWaiters(1);
        return waiting;
    }

    @Test
    void wait_endsWithTheLastOutcomeOfItsMessage() throws Exception {
        MessageInFlight<String, String, String> message = message(2);
        MessageInFlight<String, String, String> other = message(1);
        Thread waiting = awaiting(message);
        answer(other, 0);
        answer(message, 1);
        assertThat(message.isAnswered()).isFalse();
        answer(message, 0);
        assertThat(message.isAnswered()).isTrue();
        waiting.join();
    }

    @Test
    void wait_forAMessageThatIsComplete_endsAtOnce() throws Exception {
        MessageInFlight<String, String, String> message = message(1);
        answer(message, 0);
        signal.await(message, Stage.NEVER);
        signal.await(message(0), Stage.NEVER);
        assertThat(message.isAnswered()).isTrue();
    }

    @Test
    void wait_endsAtItsDeadline() throws Exception {
        MessageInFlight<String, String, String> message = message(1);
        Thread waiting = awaiting(message);
        clock.advance(SECOND);
        waiting.join();
        assertThat(message.isAnswered()).isFalse();
        signal.await(message, clock.nanoTime());
    }

    @Test
    void wake_endsTheWait() throws Exception {
        Thread waiting = awaiting(message(1));
        signal.wake();
        waiting.join();
        assertThat(interrupts).hasValue(0);
    }

    @Test
    void wake_whileNobodyWaits_endsTheNextWaitOnly() throws Exception {
        signal.await(message(0), Stage.NEVER);
        Thread waking = Thread.ofPlatform().daemon().start(signal::wake);
        waking.join();
        signal.await(message(1), Stage.NEVER);
        Thread waiting = awaiting(message(1));
        waiting.interrupt();
        waiting.join();
        assertThat(interrupts).hasValue(1);
    }
}
