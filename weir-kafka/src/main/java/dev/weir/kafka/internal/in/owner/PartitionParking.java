package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets.Attachment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Moves the partitions of a reusable consumer between its pipelines. Any thread may call {@link #attach},
 * {@link #stopEmission}, {@link #detach} and {@link #hurry}; the other methods belong to the owner thread.
 *
 * <p>A partition that no pipeline reads is parked: it is not fetched, but stays assigned and committed. The next
 * pipeline continues at the partition's first unfinished record and skips records that are already finished.
 */
final class PartitionParking {

    private final ConsumerOwner owner;
    private final PartitionAssignment assignment;
    private final PausedPartitions pauses;
    private final BatchEmission emission;
    private final OffsetCommits commits;
    private final PipelineOutlets outlets;
    private final OwnerClock clock;

    PartitionParking(
            ConsumerOwner owner,
            PartitionAssignment assignment,
            PausedPartitions pauses,
            BatchEmission emission,
            OffsetCommits commits,
            PipelineOutlets outlets,
            OwnerClock clock) {
        this.owner = owner;
        this.assignment = assignment;
        this.pauses = pauses;
        this.emission = emission;
        this.commits = commits;
        this.outlets = outlets;
        this.clock = clock;
    }

    /** Adds a pipeline. Throws if another pipeline reads the same topics. */
    void attach(Attachment attachment) {
        CompletableFuture<String> done = new CompletableFuture<>();
        owner.execute(() -> {
            try {
                outlets.closing().stream()
                        .filter(other -> other.detaching && other.readsSame(attachment))
                        .forEach(this::detachNow);
                outlets.add(attachment);
                partitionsOf(attachment).forEach(partition -> unpark(partition, attachment));
                done.complete("");
            } catch (RuntimeException refused) {
                done.completeExceptionally(refused);
            }
        });
        try {
            if (!owner.awaitOrEnd(done)) {
                throw new IllegalStateException("the reusable consumer is closed");
            }
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    /** Stops emission to the pipeline. The pipeline can still finish the records that it has pulled. */
    void stopEmission(Attachment attachment) {
        owner.execute(() -> stop(attachment));
    }

    /**
     * Waits at most {@code patience} for the pipeline to finish its records, then removes it. Returns a description of
     * the unfinished work.
     */
    String detach(Attachment attachment, Duration patience) {
        long deadlineNanos = clock.nanoTime() + patience.toNanos();
        owner.execute(() -> {
            stop(attachment);
            attachment.closeBy(deadlineNanos);
            attachment.detaching = true;
        });
        return owner.awaitOrEnd(attachment.detached) ? attachment.detached.join() : owner.leftUndone();
    }

    /** Limits the wait of a current or later {@link #detach} to {@code patience} from now. */
    void hurry(Attachment attachment, Duration patience) {
        long deadlineNanos = clock.nanoTime() + patience.toNanos();
        owner.execute(() -> attachment.closeBy(deadlineNanos));
    }

    private List<AssignedPartition> partitionsOf(Attachment attachment) {
        return assignment.all().stream()
                .filter(partition -> outlets.of(partition) == attachment)
                .toList();
    }

    private void unpark(AssignedPartition partition, Attachment attachment) {
        partition.advance();
        long offset = partition.tracker().committableOffset();
        AssignedPartition continued = partition;
        if (offset >= 0) {
            continued = assignment.renew(partition);
            continued.continueAfter(partition, offset);
        }
        continued.goOutBy(attachment.buffer);
        continued.endUnread();
        pauses.assigned(continued);
        if (offset >= 0) {
            assignment.release(
                    continued, new LogPosition(offset, partition.epochs().before(offset)));
        }
    }

    /** Stops emission until a pipeline reads the partitions again. */
    private void park(Collection<AssignedPartition> partitions) {
        emission.takeBack(partitions);
        for (AssignedPartition partition : partitions) {
            assignment.pause(partition, PauseReason.UNREAD);
        }
        commits.bringForward();
    }

    private void stop(Attachment attachment) {
        if (!attachment.closing) {
            attachment.closing = true;
            park(partitionsOf(attachment));
            attachment.buffer.end();
        }
    }

    /** Detaches a pipeline that may still work on pulled records. */
    private void detachNow(Attachment attachment) {
        detach(
                attachment,
                partitionsOf(attachment).stream()
                        .filter(AssignedPartition::hasUnsettled)
                        .toList());
    }

    private void detach(Attachment attachment, List<AssignedPartition> unfinished) {
        List<AssignedPartition> left = partitionsOf(attachment);
        String leftUndone = PartitionAssignment.unfinished(unfinished);
        outlets.remove(attachment);
        unfinished.forEach(AssignedPartition::pipelineLeft);
        for (AssignedPartition partition : left) {
            Attachment ofOthers = outlets.of(partition); // may be a pipeline that reads all topics not read by others
            if (owner.isEmitting() && ofOthers != null && !ofOthers.closing) {
                unpark(partition, ofOthers);
            }
        }
        attachment.detached.complete(leftUndone);
    }

    /** Removes pipelines that have finished or timed out. Returns the time until the next deadline. */
    long detachFinished() {
        long left = Long.MAX_VALUE;
        for (Attachment attachment : outlets.closing()) {
            if (attachment.detaching) {
                List<AssignedPartition> unfinished = partitionsOf(attachment).stream()
                        .filter(AssignedPartition::hasUnsettled)
                        .toList();
                long nanos = attachment.patienceNanos(clock.nanoTime());
                if (unfinished.isEmpty() || nanos <= 0) {
                    detach(attachment, unfinished);
                } else {
                    left = Math.min(left, nanos);
                }
            }
        }
        return left;
    }
}
