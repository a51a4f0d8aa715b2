package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the table: keys, room, revoked elements, and how many elements wait behind a key. */
class ElementTableTest {

    private static final long HOT = 7;

    /** The source of elements. The token of an element is its value. */
    private static final class Owner implements AckTarget {

        private final Set<Long> revoked = new HashSet<>();

        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int count) {}

        @Override
        public boolean isRevoked(long token) {
            return revoked.contains(token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            return revoked.contains(token);
        }
    }

    private final Owner owner = new Owner();

    /** Adds elements {@code from} to {@code to - 1} with the same key. */
    private void fill(ElementTable<Integer> table, int from, int to, long key) {
        for (int value = from; value < to; value++) {
            assertThat(table.offer(value, owner, value, key)).isTrue();
        }
    }

    private static List<Integer> valuesOf(ElementTable<Integer> table, int... slots) {
        return Arrays.stream(slots).mapToObj(table::value).toList();
    }

    /** Takes all ready elements and returns their values. */
    private static List<Integer> takeReady(ElementTable<Integer> table) {
        List<Integer> values = new ArrayList<>();
        int slot;
        while ((slot = table.takeReady()) >= 0) {
            values.add(table.value(slot));
        }
        return values;
    }

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

        // The key's next element becomes ready, but there is no room until the finished element has been drained.
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

    @Test
    void longestChain_ofSeveralHotKeys_isThatOfOneKey() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        assertThat(table.longestChain()).isZero();
        fill(table, 0, 5, HOT);
        fill(table, 5, 8, HOT + 2);
        assertThat(table.longestChain()).isEqualTo(4);
        assertThat(table.knowsNoKey()).isFalse();
        // The slot of the finished element still refers to the next one.
        table.complete(table.takeReady(), 0);
        assertThat(table.longestChain()).isEqualTo(3);
        int shorter = table.takeReady();
        assertThat(table.value(shorter)).isEqualTo(5);
        assertThat(table.longestChain()).isEqualTo(3);
        for (int n = 0; n < 3; n++) {
            table.complete(table.takeReady(), n);
        }
        assertThat(table.longestChain()).isEqualTo(2);
    }

    @Test
    void counts_divideTheElementsByState() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        fill(table, 0, 3, HOT);
        fill(table, 3, 7, Ordering.NO_KEY);
        int hot = table.takeReady();
        int first = table.takeReady();
        assertThat(table.takeReady()).isNotNegative();
        table.complete(first, 3);
        assertThat(table.size()).isEqualTo(7);
        assertThat(table.runningCount()).isEqualTo(2);
        assertThat(table.readyCount()).isEqualTo(2);
        assertThat(table.waitingCount()).isEqualTo(2);
        assertThat(table.doneCount()).isEqualTo(1);
        table.giveBack(hot);
        assertThat(table.runningCount()).isEqualTo(1);
        assertThat(takeReady(table)).containsExactly(0, 5, 6);
        assertThat(table.isEmpty()).isFalse();
    }

    @Test
    void table_withoutKeys_hasNoRoomForChains() {
        ElementTable<Integer> table = new ElementTable<>(4, true, false);
        assertThat(table.slots()).isEqualTo(4);
        fill(table, 0, 3, Ordering.NO_KEY);
        assertThat(table.isFull()).isFalse();
        fill(table, 3, 4, Ordering.NO_KEY);
        assertThat(table.isFull()).isTrue();
        assertThat(table.offer(4, owner, 4, Ordering.NO_KEY)).isFalse();
        assertThat(new ElementTable<>(4, true, true).slots()).isEqualTo(8);
    }

    @Test
    void hasManyDone_fromAnEighthOfTheCapacityOn() {
        ElementTable<Integer> table = new ElementTable<>(64, false, false);
        fill(table, 0, 64, Ordering.NO_KEY);
        for (int n = 0; n < 7; n++) {
            table.complete(table.takeReady(), n);
        }
        assertThat(table.hasManyDone()).isFalse();
        table.complete(table.takeReady(), 7);
        assertThat(table.hasManyDone()).isTrue();
    }

    @Test
    void ampleRoom_isAnEighthOfTheCapacity_orAnyRoomIfAllElementsAreRunning() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        fill(table, 0, 56, Ordering.NO_KEY);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isTrue();
        fill(table, 56, 57, Ordering.NO_KEY);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isFalse();
        assertThat(table.hasRoomFor(Ordering.NO_KEY)).isTrue();

        int first = table.takeReady();
        assertThat(takeReady(table)).hasSize(56);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isTrue();
        table.complete(first, 0);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isFalse();
        table.drain(new Batch<Integer>(1), 1);
        fill(table, 57, 64, Ordering.NO_KEY);
        assertThat(takeReady(table)).hasSize(7);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isTrue();
        fill(table, 64, 65, Ordering.NO_KEY);
        assertThat(takeReady(table)).hasSize(1);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isFalse();
    }

    /** The first element, which is running, may be waiting for one that is not in the table yet. */
    @Test
    void ampleRoom_isAnyRoom_ifNoElementIsReadyOrCanLeave() {
        ElementTable<Integer> table = new ElementTable<>(64, true, false);
        fill(table, 0, 64, Ordering.NO_KEY);
        int first = table.takeReady();
        int second = table.takeReady();
        for (int n = 2; n < 64; n++) {
            table.complete(table.takeReady(), n);
        }
        table.complete(first, 0);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).as("full").isFalse();
        table.drain(new Batch<Integer>(64), 64);
        assertThat(table.size()).isEqualTo(63);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isTrue();
        table.complete(second, 1);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isFalse();
    }

    /** Elements that wait for an earlier one with the same key have their own space. */
    @Test
    void ampleRoom_forAKeyWithElements_isAnyRoomInTheSpaceForChains() {
        ElementTable<Integer> table = new ElementTable<>(64, false, true);
        fill(table, 0, 20, HOT);
        fill(table, 20, 75, Ordering.NO_KEY);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isTrue();
        fill(table, 75, 76, Ordering.NO_KEY);
        assertThat(table.hasAmpleRoomFor(Ordering.NO_KEY)).isFalse();
        assertThat(table.hasAmpleRoomFor(HOT)).isTrue();
        fill(table, 76, 83, Ordering.NO_KEY);
        assertThat(table.isFull()).isTrue();
        fill(table, 100, 144, HOT);
        assertThat(table.hasAmpleRoomFor(HOT)).isTrue();
        fill(table, 144, 145, HOT);
        assertThat(table.hasAmpleRoomFor(HOT)).isFalse();
    }

    /** The remaining elements of a key keep their order, even with elements that arrive later. */
    @Test
    void revokedElements_behindARunningOne_leaveTheirChain() {
        ElementTable<Integer> table = new ElementTable<>(16, false, true);
        fill(table, 0, 5, HOT);
        int running = table.takeReady();
        owner.revoked.addAll(Set.of(0L, 2L, 4L));
        int[] taken = table.takeRevoked();
        assertThat(valuesOf(table, taken)).containsExactly(2, 4);
        assertThat(table.dropIfRevoked(taken[0])).isTrue();
        assertThat(table.waitingCount()).isEqualTo(2);
        assertThat(table.runningCount()).isEqualTo(3);
        assertThat(table.takeRevoked()).isEmpty();
        fill(table, 5, 6, HOT);
        for (int slot : taken) {
            table.complete(slot, FailureVerdict.REVOKED);
        }
        assertThat(table.readyCount()).isZero();

        table.complete(running, 0);
        for (int expected : new int[] {1, 3, 5}) {
            int next = table.takeReady();
            assertThat(table.value(next)).isEqualTo(expected);
            assertThat(table.readyCount()).isZero();
            table.complete(next, expected);
        }
        assertThat(table.waitingCount()).isZero();
        assertThat(table.knowsNoKey()).isTrue();
        Batch<Integer> out = new Batch<>(6);
        table.drain(out, 6);
        assertThat(IntStream.range(0, out.size()).map(out::get).boxed()).containsExactly(0, 1, 3, 5);
        assertThat(table.isEmpty()).isTrue();
    }

    @Test
    void revokedElements_thatAreReady_areTakenWithTheRevokedOnesBehindThem() {
        ElementTable<Integer> table = new ElementTable<>(16, false, true);
        fill(table, 0, 3, HOT);
        fill(table, 3, 7, Ordering.NO_KEY);
        assertThat(table.takeRevoked()).isEmpty();
        owner.revoked.addAll(Set.of(0L, 1L, 4L));
        int[] taken = table.takeRevoked();
        assertThat(valuesOf(table, taken)).containsExactlyInAnyOrder(0, 1, 4);
        assertThat(takeReady(table)).containsExactly(3, 5, 6);
        assertThat(table.waitingCount()).isEqualTo(1);
        for (int slot : taken) {
            table.complete(slot, FailureVerdict.REVOKED);
        }
        assertThat(takeReady(table)).containsExactly(2);
        assertThat(table.waitingCount()).isZero();
    }

    /** The key has no elements left, so its next element need not wait. */
    @Test
    void revokedElements_thatAreAllOfAKey_freeTheKey() {
        ElementTable<Integer> table = new ElementTable<>(16, false, true);
        fill(table, 0, 3, HOT);
        int running = table.takeReady();
        owner.revoked.addAll(Set.of(1L, 2L));
        for (int slot : table.takeRevoked()) {
            table.complete(slot, FailureVerdict.REVOKED);
        }
        table.complete(running, 0);
        assertThat(table.knowsNoKey()).isTrue();
        fill(table, 3, 4, HOT);
        assertThat(takeReady(table)).containsExactly(3);
    }

    @Test
    void removePending_returnsAllButRunningAndDroppedElements_once() {
        ElementTable<Integer> table = new ElementTable<>(16, true, true);
        fill(table, 0, 2, HOT);
        fill(table, 2, 6, Ordering.NO_KEY);
        int hot = table.takeReady();
        table.complete(table.takeReady(), 20);
        table.complete(table.takeReady(), new FailureVerdict(Decision.SKIP, new IllegalStateException("planted")));
        assertThat(table.value(hot)).isZero();
        Batch<?> pending = table.removePending();
        assertThat(IntStream.range(0, pending.size()).mapToObj(i -> pending.get(i) + " of " + pending.token(i)))
                .containsExactly("1 of 1", "20 of 2", "4 of 4", "5 of 5");
        assertThat(pending.target(0)).isSameAs(owner);
        assertThat(table.removePending().isEmpty()).isTrue();
    }

    @Test
    void find_returnsTheElementAndWhetherItIsRunning() {
        ElementTable<Integer> table = new ElementTable<>(4, true, false);
        fill(table, 0, 4, Ordering.NO_KEY);
        int running = table.takeReady();
        assertThat(table.find(owner, 0)).isEqualTo(new Kept(0, true));
        assertThat(table.find(owner, 3)).isEqualTo(new Kept(3, false));
        assertThat(table.find(owner, 4)).isNull();
        table.complete(running, 10);
        assertThat(table.find(owner, 0)).isEqualTo(new Kept(10, false));
        table.drain(new Batch<Integer>(1), 1);
        assertThat(table.find(owner, 0)).isNull();
    }

    @Test
    void ring_underAnyCalls_doesAsADeque() {
        for (int capacity = 1; capacity <= 5; capacity++) {
            IntRing ring = new IntRing(capacity);
            Deque<Integer> model = new ArrayDeque<>();
            Random random = new Random(capacity);
            for (int n = 0; n < 300; n++) {
                if (!model.isEmpty() && (model.size() == capacity || random.nextBoolean())) {
                    assertThat(ring.peek()).isEqualTo(model.getFirst());
                    assertThat(ring.poll()).isEqualTo(model.removeFirst());
                } else if (random.nextInt(3) > 0) {
                    ring.add(n);
                    model.addLast(n);
                } else {
                    ring.addFirst(n);
                    model.addFirst(n);
                }
                assertThat(ring.isEmpty()).isEqualTo(model.isEmpty());
                assertThat(IntStream.range(0, ring.size()).map(ring::get)).containsExactlyElementsOf(model);
            }
        }
    }

    @Test
    void drain_takesAtMostTheGivenNumber() {
        ElementTable<Integer> table = new ElementTable<>(8, false, false);
        fill(table, 0, 5, Ordering.NO_KEY);
        for (int n = 0; n < 5; n++) {
            table.complete(table.takeReady(), n);
        }
        Batch<Integer> out = new Batch<>(5);
        table.drain(out, 2);
        assertThat(out.size()).isEqualTo(2);
        assertThat(table.doneCount()).isEqualTo(3);
        table.drain(out, 10);
        assertThat(out.size()).isEqualTo(5);
        assertThat(table.doneCount()).isZero();
        assertThat(table.hasOutgoing()).isFalse();
    }
}
