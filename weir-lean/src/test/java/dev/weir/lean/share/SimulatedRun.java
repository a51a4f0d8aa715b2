package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.ShareMember.Identity;
import dev.weir.lean.share.ShareMember.Reading;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Runs members in simulated time, and checks what must always hold. */
final class SimulatedRun {

    static final int CREDITS = 24;
    static final long SECOND = 1_000_000_000;

    /** Number of seeds. For more, use {@code -Dweir.seeds=2000}. */
    private static final int SEEDS = Integer.getInteger("weir.seeds", 20);

    private SimulatedRun() {}

    static LongStream seeds() {
        return LongStream.rangeClosed(1, SEEDS);
    }

    static ShareMember member(SimulatedGroup group, SimulatedWork work) {
        return member("member", group, work);
    }

    static ShareMember member(String name, SimulatedGroup group, SimulatedWork work) {
        return member(name, group, work, 1);
    }

    /** Creates a member with these bootstrap brokers. */
    static ShareMember member(String name, SimulatedGroup group, SimulatedWork work, int... bootstrap) {
        List<InetSocketAddress> addresses = IntStream.of(bootstrap)
                .mapToObj(node -> InetSocketAddress.createUnresolved(
                        group.brokers.network().host(), node))
                .toList();
        Identity identity = new Identity(name, "group", List.of("topic"), addresses);
        Reading reading = new Reading(true, 1 << 20);
        ShareMember member = new ShareMember(identity, reading, group.host(name, work).wires, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedGroup.WINDOW);
        return member;
    }

    static void runToTheEnd(SimulatedGroup group, Random random, boolean faults) {
        long until = group.now() + 600 * SECOND;
        group.faults(faults);
        long nextFault = group.now() + SECOND;
        while (!group.isDone()) {
            assertThat(group.now()).as("all records are done").isLessThan(until);
            group.step();
            if (faults && group.now() >= nextFault) {
                group.fault();
                nextFault = group.now() + (random.nextInt(900) + 50) * 1_000_000L;
            }
        }
        assertThat(group.partitions())
                .allSatisfy(each -> assertThat(each.archived()).isZero());
        assertThat(group.wronglyReleased)
                .as("records that are released while somebody works on them")
                .isZero();
        assertThat(group.wronglyAccepted)
                .as("records that are accepted and not done")
                .isZero();
    }

    static void close(SimulatedGroup group, SimulatedWork work, ShareMember member) {
        group.faults(false);
        work.over = true;
        long until = group.now() + 60 * SECOND;
        while (member.open() > 0) {
            assertThat(group.now()).as("all that is acquired ends").isLessThan(until);
            group.step();
        }
        member.end();
        while (!member.hasEnded()) {
            assertThat(group.now()).as("all sessions end").isLessThan(until);
            group.step();
        }
        member.leave();
        while (!member.hasLeft()) {
            assertThat(group.now()).as("the group is left").isLessThan(until);
            group.step();
        }
    }
}
