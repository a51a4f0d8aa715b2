package dev.weir.cli.pipe;

import dev.weir.cli.terminal.CliFailure;
import dev.weir.kafka.ShareSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code weir pipe} for share groups, as typed. Filled by picocli, then read only. */
final class ShareOptions {

    /** Where a group begins that has not begun. */
    enum From {
        earliest,
        latest
    }

    @Option(
            names = "--share",
            description = "Read as a member of a share group: --group names it. Any number of workers on any number of"
                    + " partitions, in no order, at least once.")
    boolean share;

    @Option(
            names = "--share-from",
            paramLabel = "WHERE",
            description = "Where a share group begins that has not begun: ${COMPLETION-CANDIDATES}. Such a group is"
                    + " refused without it.")
    @Nullable
    From from;

    /** Refuses what does not go with a share group. */
    void check(PipeOptions options) {
        if (!share) {
            if (from != null) {
                throw CliFailure.usage(
                        "--share-from goes with --share", "A consumer group begins at its first record.");
            }
            return;
        }
        if (options.ordering == PipeOptions.Order.partition) {
            throw CliFailure.usage(
                    "--share does not go with --ordering partition",
                    "A share group's records of one partition go to many members. Use key (within this process) or"
                            + " unordered.");
        }
        if (!options.guarantee.equals(PipeOptions.AT_LEAST_ONCE)) {
            throw CliFailure.usage(
                    "--share does not go with --guarantee " + options.guarantee,
                    "A share group delivers at least once.");
        }
    }

    /** What pipes over consumer groups have and one over a share group ignores, a sentence each. */
    List<String> warnings(PipeOptions options) {
        return share && options.deadLetter == null
                ? List.of("--share without --dead-letter: a record whose deliveries are used up by crashes is lost")
                : List.of();
    }

    ShareSettings.Builder<byte[], byte[]> apply(ShareSettings.Builder<byte[], byte[]> settings) {
        if (from != null) {
            settings.startAt(from == From.earliest ? ShareSettings.Start.EARLIEST : ShareSettings.Start.LATEST);
        }
        return settings;
    }
}
