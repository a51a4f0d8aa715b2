package dev.weir.cli.pipe;

import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.ShareSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code weir pipe} for share groups, as typed. Only picocli sets the fields. */
final class ShareOptions {

    /** The position from which a new group reads. */
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
            description = "Where a share group without a start begins: ${COMPLETION-CANDIDATES}. Such a group is"
                    + " refused without it.")
    @Nullable
    From from;

    @Option(
            names = "--share-member",
            paramLabel = "NAME",
            description =
                    "Name that this process keeps across restarts and no other uses at the same time. After a kill,"
                            + " it takes its partitions back at once, not after the session timeout. Not with --fetch"
                            + " client.")
    @Nullable
    String member;

    void check(PipeOptions options) {
        if (!share) {
            if (member != null) {
                throw CliFailure.usage(
                        "--share-member goes with --share",
                        "Static members of a consumer group have group.instance.id in --client-config.");
            }
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
        if (member != null && options.fetch == PipeOptions.Fetch.client) {
            throw CliFailure.usage(
                    "--share-member goes with --fetch lean", "Kafka's share consumers draw their own ids.");
        }
        if (!options.guarantee.equals(PipeOptions.AT_LEAST_ONCE)) {
            throw CliFailure.usage(
                    "--share does not go with --guarantee " + options.guarantee,
                    "A share group delivers at least once.");
        }
    }

    List<String> warnings(PipeOptions options) {
        return share && options.deadLetter == null
                ? List.of("--share without --dead-letter: a record whose deliveries are used up by crashes is lost")
                : List.of();
    }

    ShareSettings.Builder<byte[], byte[]> apply(ShareSettings.Builder<byte[], byte[]> settings) {
        if (from != null) {
            settings.startAt(from == From.earliest ? ShareSettings.Start.EARLIEST : ShareSettings.Start.LATEST);
        }
        if (member != null) {
            settings.memberName(member);
        }
        return settings;
    }
}
