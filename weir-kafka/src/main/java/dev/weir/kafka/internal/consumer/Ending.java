package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.buffer.Assignment;
import dev.weir.kafka.internal.buffer.Emission;
import dev.weir.kafka.internal.commit.Commits;
import dev.weir.kafka.internal.fetch.Fetcher;
import dev.weir.kafka.internal.fetch.Waiting;
import dev.weir.kafka.internal.lookup.ConsumerLog;
import dev.weir.kafka.internal.lookup.OwnerClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/**
 * How a consumer ends: it emits no more, waits for what is unfinished, commits for the last time, closes the client. Confined to the owner
 * thread, which does each of these once at most.
 */
final class Ending {

    private static final ConsumerLog LOG = ConsumerLog.of(Ending.class);

    /** One round of a rebalance that the last commit has to wait for. */
    private static final long REBALANCE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** With the last commit, what an end takes at most beyond its patience, also with brokers away. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(8);

    private final ConsumerLoop loop;
    private final Assignment assignment;
    private final Waiting waiting;
    private final Emission emission;
    private final Commits commits;
    private final Rebalances rebalances;
    private final Hooks hooks;
    private final Observer observer;
    private final OwnerClock clock;

    private boolean stopped;

    Ending(
            ConsumerLoop loop,
            Assignment assignment,
            Waiting waiting,
            Emission emission,
            Commits commits,
            Rebalances rebalances,
            Hooks hooks,
            Observer observer,
            OwnerClock clock) {
        this.loop = loop;
        this.assignment = assignment;
        this.waiting = waiting;
        this.emission = emission;
        this.commits = commits;
        this.rebalances = rebalances;
        this.hooks = hooks;
        this.observer = observer;
        this.clock = clock;
    }

    /** Ends emission: what was not pulled yet is forgotten, and nothing more is fetched. */
    void stopEmission() {
        if (stopped) {
            return;
        }
        stopped = true;
        observer.state("stopped");
        emission.end();
        emission.takeBackUnpromised(assignment.all());
        if (emission.commitsAhead()) {
            // What is left was committed: nobody else will see it.
            loop.pauses().resumeAll();
        }
        assignment.fetchNoMore();
    }

    /** Polls on, so that membership lasts, until everything emitted is finished or patience is at its end. */
    void finishUnfinished() {
        stopEmission();
        if (emission.commitsAhead()) {
            // What was pulled was finished by that, and the rest nobody will pull any more.
            assignment.all().forEach(AssignedPartition::advance);
            return;
        }
        while (true) {
            waiting.clearSignal();
            long left = loop.withinPatience(Long.MAX_VALUE);
            if (left <= 0 || assignment.all().stream().noneMatch(AssignedPartition::isHeld)) {
                return;
            }
            loop.commitAndPoll(left);
            observer.lookIfDue(assignment.all(), commits, rebalances.count());
        }
    }

    /** Commits what is finished, also after a failure, and adds to {@code leftUndone} what was not. The client can close then. */
    void commitAtLast(List<String> leftUndone) {
        try {
            emission.end();
            commitWhenAllowed();
        } catch (RuntimeException failure) {
            LOG.warn("last commit failed: {}", failure.toString());
            leftUndone.add(String.valueOf(failure.getMessage()));
        }
        // What nobody has begun by now is read again: whoever is told of the end finds nothing begun after it.
        assignment.all().forEach(partition -> partition.tracker.revoke());
        loop.dropRevoked();
        hooks.revoked(assignment.ids(), hooks.deadline());
        // As the commit saw it: what is finished after that is read again as well.
        String what = loop.isTracked() ? "unfinished, to be read again: " : "fetched and not pulled: ";
        String unfinished = Assignment.unfinished(assignment.all());
        if (!unfinished.isEmpty()) {
            leftUndone.add(0, what + unfinished);
        }
        observer.look(assignment.all(), commits, rebalances.count());
        observer.state("closed");
    }

    /** Leaves the group and closes what talks to brokers. */
    void closeClient(Consumer<?, ?> client, Fetcher fetcher) {
        rebalances.closing();
        assignment.clear();
        try {
            closeQuietly(fetcher::close);
        } finally {
            closeQuietly(() -> client.close(CloseOptions.timeout(CLOSE_TIMEOUT)));
        }
    }

    private static void closeQuietly(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException failure) {
            LOG.warn("closing the consumer failed: {}", failure.toString());
        }
    }

    /** While the group rebalances, the client commits only what it is about to give up, and has to poll to get there. */
    private void commitWhenAllowed() {
        long deadlineNanos = clock.nanoTime() + Commits.SYNC_NANOS;
        while (true) {
            long left = deadlineNanos - clock.nanoTime();
            try {
                loop.commitNow(assignment.all(), left);
                return;
            } catch (RebalanceInProgressException pollFirst) {
                if (left <= 0) {
                    throw pollFirst;
                }
                loop.poll(Math.min(left, REBALANCE_POLL_NANOS));
            }
        }
    }
}
