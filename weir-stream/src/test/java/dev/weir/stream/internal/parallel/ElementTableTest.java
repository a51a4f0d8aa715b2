package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the table: keys, and how many elements wait behind a key. */
class ElementTableTest {

    private static boolean offer(ElementTable<Integer> table, int value, long key) {
        return table.offer(value, AckTarget.NONE, 0, key);
    }

    @Test
    void keys_thatAreIdle_leaveNothingBehind() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        Random random = new Random(1);
        for (int n = 0; n < 200_000; n++) {
            if (!offer(table, n, random.nextInt(1000) == 0 ? 7 : random.nextLong())) {
                workOff(table);
            }
        }
        workOff(table);
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.knowsNoKey()).isTrue();
        assertThat(table.waitingCount()).isZero();
    }

    private static void workOff(ElementTable<Integer> table) {
        int slot;
        while ((slot = table.takeReady()) >= 0) {
            table.complete(slot, table.value(slot));
        }
        table.drain(new Batch<Integer>(64), Integer.MAX_VALUE);
    }

    @Test
    void hotKey_fillsTheRoomForWhatWaits_andLeavesThatOfTheOthers() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        int hot = 0;
        while (offer(table, hot, 7)) {
            hot++;
        }
        assertThat(hot).isEqualTo(65);
        assertThat(table.hasRoomFor(7)).isFalse();
        assertThat(table.isFull()).isFalse();
        int others = 0;
        while (offer(table, others, Ordering.NO_KEY)) {
            others++;
        }
        assertThat(others).isEqualTo(63);
        assertThat(table.isFull()).isTrue();
        assertThat(table.size()).isEqualTo(table.slots());

        // The key's next element becomes ready, although no other element has released its room.
        table.complete(table.takeReady(), 1);
        assertThat(table.hasRoomFor(7)).isFalse();
        table.drain(new Batch<Integer>(1), 1);
        assertThat(table.hasRoomFor(7)).isTrue();
        assertThat(table.hasRoomFor(Ordering.NO_KEY)).isFalse();
    }

    /** While an element of the hot key is ready, the key's other elements still count as its chain. */
    @Test
    void longestChain_isThatOfTheHotKey_alsoWhileItsNextElementIsReady() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        for (int n = 0; n < 20; n++) {
            offer(table, n, 7);
        }
        offer(table, 20, Ordering.NO_KEY);
        assertThat(table.longestChain()).isEqualTo(19);
        int hot = table.takeReady();
        assertThat(table.longestChain()).isEqualTo(19);
        table.complete(hot, 1);
        assertThat(table.longestChain()).isEqualTo(18);
    }

    @Test
    void dropped_leavesNothingAndStillFreesItsKey() {
        ElementTable<Integer> table = new ElementTable<>(64, true, true);
        assertThat(offer(table, 1, 7) && offer(table, 2, 7)).isTrue();
        table.complete(table.takeReady(), new FailureVerdict(Decision.SKIP, new IllegalStateException("planted")));
        table.complete(table.takeReady(), 2);
        Batch<Integer> out = new Batch<>(2);
        table.drain(out, 2);
        assertThat(out.size()).isEqualTo(1);
        assertThat(out.get(0)).isEqualTo(2);
        assertThat(table.isEmpty()).isTrue();
    }
}
