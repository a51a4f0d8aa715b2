package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutstandingRecordsTest {

    private static PendingSend sending(long number) {
        return new PendingSend(null, number, 0, 0);
    }

    @Test
    void records_areGivenBackByTheirTokens_inAnyOrder() {
        OutstandingRecords outstanding = new OutstandingRecords();
        List<Long> tokens = new ArrayList<>();
        for (int n = 0; n < 5_000; n++) {
            tokens.add(outstanding.add(sending(n)));
        }
        for (int n = 4_999; n >= 0; n--) {
            assertThat(outstanding.remove(tokens.get(n)).timestampMillis).isEqualTo(n);
        }
        assertThatIllegalStateException().isThrownBy(() -> outstanding.remove(tokens.get(7)));
        long next = outstanding.add(sending(-5));
        assertThat(outstanding.remove(next).timestampMillis).isEqualTo(-5);
    }

    private record Added(long token, PendingSend sending) {}

    @Test
    void sendersAndTheAnsweringThread_findTheSameRecords() throws Exception {
        OutstandingRecords outstanding = new OutstandingRecords();
        LinkedBlockingQueue<Added> added = new LinkedBlockingQueue<>();
        int each = 20_000;
        int senders = 3;
        List<Thread> threads = new ArrayList<>();
        for (int sender = 0; sender < senders; sender++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    PendingSend sending = sending(n);
                    added.add(new Added(outstanding.add(sending), sending));
                }
            }));
        }
        AtomicInteger wrong = new AtomicInteger();
        for (int n = 0; n < senders * each; n++) {
            Added next = added.poll(50, TimeUnit.SECONDS);
            assertThat(next).isNotNull();
            if (outstanding.remove(next.token) != next.sending) {
                wrong.incrementAndGet();
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).hasValue(0);
    }
}
