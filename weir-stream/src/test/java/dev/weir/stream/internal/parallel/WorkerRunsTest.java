package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkerRunsTest {

    private final ElementTable<Integer> table = new ElementTable<>(8, false, false);
    private final WorkerRun run = new WorkerRun();
    private final List<Object> settled = new ArrayList<>();
    private final WorkerRuns runs = new WorkerRuns(table, (slot, outcome) -> {
        settled.add(outcome);
        table.complete(slot, outcome);
    });

    /** Begins with five elements. A worker takes four of them. */
    @BeforeEach
    void begin() {
        for (int n = 0; n < 5; n++) {
            assertThat(table.offer(n, AckTarget.NONE, 0, Ordering.NO_KEY)).isTrue();
        }
        run.begin(table.takeReady(), table, 4);
        runs.add(run);
    }

    private void workOnOne() {
        run.put("done " + table.value(run.takeNext()));
    }

    private List<Integer> ready() {
        List<Integer> values = new ArrayList<>();
        int slot;
        while ((slot = table.takeReady()) >= 0) {
            values.add(table.value(slot));
        }
        return values;
    }

    @Test
    void run_ofALaneThatDoesNotComeBack_isGatheredInAtTheSecondLook() {
        workOnOne();
        assertThat(run.takeNext()).isNotNegative();
        assertThat(runs.notBegun()).isEqualTo(2);
        assertThat(runs.gatherInStuck()).isFalse();
        assertThat(settled).isEmpty();

        assertThat(runs.gatherInStuck()).isTrue();
        assertThat(settled).containsExactly("done 0");
        // The unstarted elements are ready again, in order and before element 4.
        assertThat(ready()).containsExactly(2, 3, 4);
        assertThat(runs.isEmpty()).isTrue();

        run.put("done 1");
        assertThat(run.takeNext()).isNegative();
        assertThat(run.hasDone()).isTrue();
        assertThat(run.takeOutcome()).isEqualTo("done 1");
    }

    @Test
    void run_thatGoesOnBetweenTwoLooks_isLeftAlone() {
        for (int n = 0; n < 4; n++) {
            assertThat(runs.gatherInStuck()).isFalse();
            workOnOne();
        }
        assertThat(runs.isEmpty()).isFalse();
        assertThat(ready()).containsExactly(4);
    }

    @Test
    void nextRun_ofALane_isAnotherOne() {
        for (int n = 0; n < 4; n++) {
            workOnOne();
        }
        assertThat(runs.gatherIn(run)).isTrue();
        assertThat(runs.gatherInStuck()).isFalse();
        run.begin(table.takeReady(), table, 4);
        assertThat(runs.gatherInStuck()).isFalse();
        assertThat(runs.gatherInStuck()).isTrue();
        assertThat(ready()).containsExactly(4);
    }

    @Test
    void gatherIn_leavesOnlyWhatIsAtWork() {
        workOnOne();
        assertThat(run.takeNext()).isNotNegative();
        assertThat(runs.gatherIn()).isTrue();
        assertThat(settled).containsExactly("done 0");
        assertThat(table.runningCount()).isEqualTo(1);
        assertThat(run.takeNext()).isNegative();
        assertThat(runs.gatherIn()).isFalse();
    }

    @Test
    void run_takesAtMost64Elements_andNoMoreThanAllowedOrReady() {
        ElementTable<Integer> large = new ElementTable<>(128, false, false);
        for (int n = 0; n < 70; n++) {
            assertThat(large.offer(n, AckTarget.NONE, 0, Ordering.NO_KEY)).isTrue();
        }
        WorkerRun longest = new WorkerRun();
        longest.begin(large.takeReady(), large, 1_000);
        assertThat(longest.notBegun()).isEqualTo(64);
        WorkerRun single = new WorkerRun();
        single.begin(large.takeReady(), large, 1);
        assertThat(single.notBegun()).isEqualTo(1);
        assertThat(large.value(single.takeNext())).isEqualTo(64);
        assertThat(single.takeNext()).isNegative();
        longest.begin(large.takeReady(), large, 64);
        assertThat(longest.notBegun()).isEqualTo(5);
    }

    @Test
    void elements_takenBack_areReturnedOnce() {
        assertThat(run.takeNext()).isNotNegative();
        assertThat(run.takeBack(table)).isEqualTo(3);
        assertThat(run.takeBack(table)).isZero();
        assertThat(run.notBegun()).isZero();
        assertThat(table.runningCount()).isEqualTo(1);
        assertThat(ready()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void run_thatIsRemoved_isLeftAlone() {
        workOnOne();
        runs.remove(run);
        assertThat(runs.isEmpty()).isTrue();
        assertThat(runs.notBegun()).isZero();
        assertThat(runs.gatherIn()).isFalse();
        assertThat(settled).isEmpty();
        assertThat(run.notBegun()).isEqualTo(3);
    }

    /** A second run, of element 4, has nothing to gather in. */
    @Test
    void gatherIn_ofOneRunOnly_isReported() {
        WorkerRun other = new WorkerRun();
        other.begin(table.takeReady(), table, 1);
        assertThat(other.takeNext()).isNotNegative();
        runs.add(other);
        assertThat(runs.notBegun()).isEqualTo(4);
        assertThat(runs.gatherInStuck()).isFalse();
        assertThat(runs.isEmpty()).isFalse();
        assertThat(runs.gatherInStuck()).isTrue();
        assertThat(ready()).containsExactly(0, 1, 2, 3);

        run.begin(0, table, 1);
        workOnOne();
        runs.add(run);
        runs.add(other);
        assertThat(runs.gatherIn()).isTrue();
        assertThat(runs.isEmpty()).isTrue();
    }

    @Test
    void onlyAVerdictThatFailsTheStream_endsTheRun() {
        IllegalStateException failure = new IllegalStateException("planted");
        assertThat(WorkerRun.ends(new FailureVerdict(Decision.FAIL, failure))).isTrue();
        assertThat(WorkerRun.ends(new FailureVerdict(Decision.SKIP, failure))).isFalse();
        assertThat(WorkerRun.ends("result")).isFalse();
    }

    @Test
    void gatherIn_settlesEachSlotWithItsOutcome_once() {
        List<String> slots = new ArrayList<>();
        WorkerRuns recording = new WorkerRuns(table, (slot, outcome) -> slots.add(slot + " " + outcome));
        workOnOne();
        workOnOne();
        assertThat(recording.gatherIn(run)).isTrue();
        assertThat(slots).containsExactly("0 done 0", "1 done 1");
        assertThat(recording.gatherIn(run)).isFalse();
        assertThat(slots).hasSize(2);
    }
}
