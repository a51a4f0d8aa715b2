package dev.weir.stream.internal.substream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Attributes;
import dev.weir.stream.Supervision;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests groups without streams. The key of an element is its last decimal digit. */
class KeyedGroupsTest {

    private static final Duration TEN = Duration.ofSeconds(10);

    private final VirtualClock clock = new VirtualClock();
    private final Set<Long> revoked = new HashSet<>();
    private final List<String> ends = new ArrayList<>();

    /** The source of the elements. The token of an element is its value. */
    private final AckTarget owner = new AckTarget() {
        @Override
        public void ack(long token) {
            ends.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            ends.add("abandon " + token);
        }

        @Override
        public boolean isRevoked(long token) {
            return revoked.contains(token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            if (isRevoked(token)) {
                ends.add("drop " + token);
            }
            return isRevoked(token);
        }

        @Override
        public void retain(long token, int count) {}
    };

    private static final class Group extends KeyedGroups.Group<Integer> {

        private final Object key;
        private boolean over;
        private boolean whole;
        private boolean busy;
        private long askedUntil;

        Group(KeyedGroups<Integer, Group> owner, Object key) {
            super(owner);
            this.key = key;
        }

        @Override
        boolean isOver() {
            return over;
        }

        @Override
        boolean isWhole() {
            return whole;
        }

        @Override
        boolean mayEndIdle() {
            return !busy;
        }

        @Override
        void asked(long deadlineNanos) {
            askedUntil = deadlineNanos;
        }
    }

    private KeyedGroups<Integer, Group> groups(int maxSubstreams, Duration idleAfter, Supervision supervision) {
        GroupBySettings<Integer> settings = GroupBySettings.of(
                n -> {
                    if (n % 10 == 9) {
                        throw new IllegalStateException("planted");
                    }
                    return n % 10;
                },
                maxSubstreams,
                idleAfter);
        SupervisedCall supervised =
                SupervisedCall.by(new StageAttributes(Attributes.named("groups").withSupervision(supervision)), clock);
        return new KeyedGroups<>(settings, supervised, clock, () -> true, Group::new);
    }

    private KeyedGroups<Integer, Group> groups() {
        return groups(3, Duration.ZERO, Supervision.fail());
    }

    private Batch<Integer> batch(int... values) {
        Batch<Integer> batch = new Batch<>(values.length);
        for (int value : values) {
            batch.add(value, owner, value);
        }
        return batch;
    }

    private static List<Integer> valuesOf(Batch<Integer> batch) {
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            values.add(batch.get(i));
        }
        return values;
    }

    /** Takes all groups with new elements, and returns their elements. */
    private static List<List<Integer>> takeTouched(KeyedGroups<Integer, Group> groups) {
        List<List<Integer>> taken = new ArrayList<>();
        Group group;
        while ((group = groups.nextTouched()) != null) {
            taken.add(valuesOf(group.take()));
        }
        return taken;
    }

    private static Group only(KeyedGroups<Integer, Group> groups) {
        assertThat(groups.all()).hasSize(1);
        return groups.all().iterator().next();
    }

    @Test
    void elements_areDividedByKey_inTheirOrder() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.split(batch(1, 2, 11, 12, 21));
        assertThat(groups.waiting()).isEqualTo(5);
        assertThat(groups.hasTouched()).isTrue();
        assertThat(takeTouched(groups)).containsExactly(List.of(1, 11, 21), List.of(2, 12));
        assertThat(groups.waiting()).isZero();
        assertThat(groups.hasTouched()).isFalse();
        groups.split(batch(22));
        groups.split(batch(31, 32));
        assertThat(takeTouched(groups)).containsExactly(List.of(22, 32), List.of(31));
    }

    @Test
    void group_thatIsPulled_emitsItsElements_andEndsOnlyWhenItIsEmpty() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.split(batch(1, 11));
        Group group = only(groups);
        assertThat(group.isEmpty()).isFalse();
        group.end();
        assertThat(group.hasEnded()).isTrue();
        assertThat(valuesOf(Objects.requireNonNull(group.pull(5)))).containsExactly(1, 11);
        assertThat(groups.waiting()).isZero();
        assertThat(group.askedUntil).isZero();
        assertThat(group.pull(5)).isNull();
    }

    /** A stage may add elements to the empty batch that it received. */
    @Test
    void group_withoutElements_asksForATurn_andEmitsAnEmptyBatch() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.split(batch(1));
        Group group = only(groups);
        assertThat(group.take().size()).isEqualTo(1);
        assertThat(group.isEmpty()).isTrue();
        Batch<Integer> empty = Objects.requireNonNull(group.pull(5));
        assertThat(empty.isEmpty()).isTrue();
        assertThat(group.askedUntil).isEqualTo(5);
        assertThat(group.take()).isSameAs(empty);
        empty.add(7);
        assertThat(group.take().isEmpty()).isTrue();
    }

    @Test
    void elements_ofAGroupThatIsOver_areAcknowledgedOnlyIfItsStreamIsWhole() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.split(batch(1));
        assertThat(takeTouched(groups)).hasSize(1);
        only(groups).over = true;
        only(groups).whole = true;
        groups.split(batch(11));
        only(groups).whole = false;
        groups.split(batch(21));
        assertThat(ends).containsExactly("ack 11", "abandon 21");
        assertThat(groups.waiting()).isZero();
        assertThat(groups.hasTouched()).isFalse();
    }

    @Test
    void group_thatMayNotBegin_abandonsItsElementAndThoseAfterIt() throws Exception {
        KeyedGroups<Integer, Group> groups = groups(1, Duration.ZERO, Supervision.fail());
        assertThatThrownBy(() -> groups.split(batch(1, 2, 11)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("maxSubstreams=1");
        assertThat(ends).containsExactly("abandon 2", "abandon 11");
        assertThat(takeTouched(groups)).containsExactly(List.of(1));
    }

    @Test
    void element_withoutAKey_isSkipped_orEndsTheBatch() throws Exception {
        KeyedGroups<Integer, Group> skipping = groups(3, Duration.ZERO, Supervision.skip());
        skipping.split(batch(1, 9, 2));
        assertThat(ends).containsExactly("ack 9");
        assertThat(takeTouched(skipping)).containsExactly(List.of(1), List.of(2));
        ends.clear();
        KeyedGroups<Integer, Group> failing = groups();
        assertThatThrownBy(() -> failing.split(batch(1, 9, 2))).hasMessage("planted");
        assertThat(ends).containsExactly("abandon 9", "abandon 2");
        assertThat(takeTouched(failing)).containsExactly(List.of(1));
    }

    @Test
    void idleGroups_areEvictedByTheirLastElement() throws Exception {
        KeyedGroups<Integer, Group> groups = groups(3, TEN, Supervision.fail());
        assertThat(groups.nextEvictionNanos()).isEqualTo(Stage.NEVER);
        List<Object> evicted = new ArrayList<>();
        groups.split(batch(1, 2));
        clock.advance(Duration.ofSeconds(4));
        groups.split(batch(11));
        assertThat(groups.nextEvictionNanos()).isEqualTo(TEN.toNanos());
        groups.evictIdle((key, group) -> evicted.add(key));
        assertThat(evicted).isEmpty();
        clock.advance(Duration.ofSeconds(6));
        groups.evictIdle((key, group) -> {
            assertThat(group.key).isEqualTo(key);
            evicted.add(key);
        });
        assertThat(evicted).containsExactly(2);
        assertThat(groups.nextEvictionNanos()).isEqualTo(Duration.ofSeconds(14).toNanos());
        clock.advance(Duration.ofSeconds(4));
        groups.evictIdle((key, group) -> evicted.add(key));
        assertThat(evicted).containsExactly(2, 1);
        assertThat(groups.nextEvictionNanos()).isEqualTo(Stage.NEVER);
    }

    @Test
    void groups_withoutAnIdleTime_areNeverEvicted() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.split(batch(1));
        assertThat(groups.nextEvictionNanos()).isEqualTo(Stage.NEVER);
    }

    /** The next check is after the idle time, but not sooner than after a millisecond. */
    @Test
    void idleGroup_thatIsBusy_isCheckedAgainLater_unlessItIsOver() throws Exception {
        for (Duration idle : List.of(TEN, Duration.ofNanos(1_000))) {
            KeyedGroups<Integer, Group> groups = groups(3, idle, Supervision.fail());
            List<Object> evicted = new ArrayList<>();
            groups.split(batch(1, 2));
            groups.all().forEach(group -> group.busy = true);
            clock.advance(idle);
            groups.evictIdle((key, group) -> evicted.add(key));
            assertThat(evicted).isEmpty();
            long again = clock.nanoTime() + Math.max(idle.toNanos(), 1_000_000);
            assertThat(groups.nextEvictionNanos()).isEqualTo(again);
            groups.all().forEach(group -> group.over = group.key.equals(2));
            clock.advance(Duration.ofNanos(again - clock.nanoTime()));
            groups.evictIdle((key, group) -> evicted.add(key));
            assertThat(evicted).containsExactly(2);
        }
    }

    @Test
    void revokedElements_areDroppedFromTheInboxes_onceTheThreadIsNotAtWork() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.elements.beginWork();
        groups.split(batch(1, 2, 11, 12, 21));
        revoked.addAll(Set.of(2L, 11L, 12L));
        groups.dropRevoked();
        assertThat(ends).isEmpty();
        assertThat(groups.find(owner, 1)).isNull();
        groups.elements.endWork();
        assertThat(ends).containsExactlyInAnyOrder("drop 2", "drop 11", "drop 12");
        assertThat(groups.waiting()).isEqualTo(2);
        assertThat(groups.find(owner, 1)).isEqualTo(new Kept(1, false));
        assertThat(groups.find(owner, 21)).isEqualTo(new Kept(21, false));
        assertThat(groups.find(owner, 11)).isNull();
        groups.dropRevoked();
        assertThat(ends).hasSize(3);
        assertThat(takeTouched(groups)).containsExactly(List.of(1, 21), List.of());
        assertThat(groups.waiting()).isZero();
    }

    @Test
    void leave_abandonsWhatWaitsForTheGroups_once() throws Exception {
        KeyedGroups<Integer, Group> groups = groups();
        groups.split(batch(1, 2, 11));
        groups.leave();
        assertThat(ends).containsExactlyInAnyOrder("abandon 1", "abandon 2", "abandon 11");
        assertThat(groups.waiting()).isZero();
        groups.leave();
        assertThat(ends).hasSize(3);
    }

    @Test
    void settings_areRefusedOutsideTheirBounds_andLimited() {
        assertThatThrownBy(() -> GroupBySettings.of(n -> n, 0, TEN)).hasMessageContaining("maxSubstreams=0");
        assertThatThrownBy(() -> GroupBySettings.of(n -> n, 1, Duration.ofNanos(-1)))
                .hasMessageContaining("idleAfter must not be negative");
        assertThat(GroupBySettings.of(n -> n, 1, Duration.ZERO).evicts()).isFalse();
        assertThat(GroupBySettings.of(n -> n, 1, Duration.ofNanos(1)).evicts()).isTrue();
        assertThat(GroupBySettings.of(n -> n, 1, TEN).idleNanos()).isEqualTo(TEN.toNanos());
        assertThat(GroupBySettings.of(n -> n, 1, Duration.ofSeconds(Long.MAX_VALUE))
                        .idleNanos())
                .isEqualTo(Duration.ofDays(36_500).toNanos());
    }
}
