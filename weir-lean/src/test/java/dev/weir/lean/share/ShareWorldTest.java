package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.SimulatedGroup.Trouble;
import dev.weir.simulation.SharePartition;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Simulates a share member with at most two classes of faults. Soon after the last fault, it must have read all
 * records, even if one broker's metadata stay outdated. {@code -Dweir.simulation.seed=N} replays one simulation.
 */
@Timeout(240)
class ShareWorldTest {

    private static final int SOME = 100;
    private static final int MANY = 4_000;
    private static final List<Trouble> ALL = List.of(Trouble.values());
    private static final long SECOND = SimulatedRun.SECOND;

    /** Brokers may receive nothing from the controller for up to 100 seconds. */
    private static final long MAX_CALM_NANOS = 200 * SECOND;

    @Test
    void member_inSomeWorlds_endsEachRecord() {
        long replayed = Long.getLong("weir.simulation.seed", -1);
        run(replayed < 0 ? LongStream.range(0, SOME) : LongStream.of(replayed));
    }

    @Tag("long")
    @Timeout(900)
    @Test
    void member_inManyWorlds_endsEachRecord() {
        run(LongStream.range(SOME, MANY));
    }

    private static void run(LongStream seeds) {
        seeds.forEach(seed -> {
            try {
                runOne(new Random(seed * 0x9E3779B97F4A7C15L));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
    }

    private static void runOne(Random random) {
        SimulatedGroup group = new SimulatedGroup(random, 1 + random.nextInt(3), 300);
        SimulatedWork work = new SimulatedWork(group, random, 1 + random.nextInt(20));
        work.slow = random.nextBoolean();
        work.fixedMillis = random.nextBoolean() ? 1 + random.nextInt(3 * SimulatedGroup.LOCK_MILLIS) : 0;
        ShareMember member = SimulatedRun.member("member", group, work, 1, 2);
        Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
        for (int n = random.nextInt(3); n > 0; n--) {
            troubles.add(ALL.get(random.nextInt(ALL.size())));
        }
        group.faults(true);
        long arrived = 0;
        for (int steps = 200 + random.nextInt(1_000); steps > 0; steps--) {
            arrived += random.nextInt(2);
            for (SharePartition each : group.partitions()) {
                each.arrived(arrived);
            }
            if (random.nextInt(60) == 0) {
                troubles.forEach(group::fault);
            }
            if (random.nextInt(20) == 0) {
                member.plan(SimulatedRun.CREDITS * (1 + random.nextInt(3)), false, SimulatedGroup.WINDOW);
            }
            group.step();
        }
        group.faults(false);
        work.fixedMillis = 0;
        group.partitions().forEach(each -> each.arrived(Long.MAX_VALUE));
        for (long until = group.now() + MAX_CALM_NANOS; !group.isDone(); ) {
            assertThat(group.now())
                    .as("all records are done after %s", troubles)
                    .isLessThan(until);
            group.step();
        }
        SimulatedRun.close(group, work, member);
        assertThat(work.open()).as("acquired records without an end").isZero();
        assertThat(group.share.hasSessions()).isFalse();
    }
}
