package dev.weir.cli.pipe;

import dev.weir.cli.pipe.PipeOptions.Via;
import dev.weir.command.client.OptionChecks;
import dev.weir.command.terminal.CliFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Checks which options of {@code weir pipe} may be combined, are within bounds, and have an effect. Stateless. */
final class PipeRules {

    private static final Duration MAX_WORK = Duration.ofHours(1);

    /** Longest interval between commits. Brokers abort Weir's transactions after 30 s. */
    private static final Duration MAX_COMMIT_INTERVAL = Duration.ofSeconds(20);

    private PipeRules() {}

    /** Refuses options that contradict each other or are out of bounds. */
    static void check(PipeOptions options) {
        OptionChecks.requireAddresses(options.bootstrapServers);
        OptionChecks.requireNotBlank("--from", options.from);
        OptionChecks.requireNotBlank("--to", options.to);
        OptionChecks.requireNotBlank("--group", options.group);
        if (options.from.equals(options.to)) {
            throw CliFailure.usage(
                    "--from and --to name the same topic: " + options.from, "A pipe into itself never ends.");
        }
        if (options.deadLetter != null) {
            OptionChecks.requireNotBlank("--dead-letter", options.deadLetter);
            if (options.deadLetter.equals(options.from) || options.deadLetter.equals(options.to)) {
                throw CliFailure.usage("--dead-letter must be another topic: --dead-letter=" + options.deadLetter, "");
            }
        } else if (options.via instanceof Via.Asimov) {
            throw CliFailure.usage(
                    "--via asimov needs --dead-letter", "Name the topic for events that cannot be translated.");
        }
        if (options.tooLargeDeadLetters != null && (options.deadLetter == null || !options.isPerRecord())) {
            throw CliFailure.usage(
                    "--dead-letter-too-large is for --dead-letter with --via identity or each:CMD",
                    "Other pipes fail with a dead-letter record that is too large.");
        }
        boolean adapts = options.isAdaptive() && (options.work.isPositive() || options.via instanceof Via.Each);
        if (options.isAdaptive() && !adapts) {
            throw CliFailure.usage(
                    "--concurrency adaptive has nothing to adapt", "It goes with --work and --via each:CMD.");
        }
        if (!adapts
                && options.concurrency != null
                && (options.concurrency < 1 || options.concurrency > PipeOptions.MAX_CONCURRENCY)) {
            throw CliFailure.badValue("--concurrency", options.concurrency, "1 to " + PipeOptions.MAX_CONCURRENCY);
        }
        options.sharing.check(options);
        options.batches.check(options);
        checkGuarantee(options);
        checkRetries(options);
        checkDuration("--work", options.work);
        checkDuration("--work-cpu", options.workCpu);
        checkDuration("--drain-timeout", options.drainTimeout);
    }

    /** Returns a sentence for each given option that has no effect. */
    static List<String> warnings(PipeOptions options) {
        List<String> warnings = new ArrayList<>(options.sharing.warnings(options));
        boolean waits = options.work.isPositive() || (options.isPerRecord() && options.mayReorder());
        if (options.concurrency != null
                && options.via instanceof Via.Identity
                && !waits
                && !options.workCpu.isPositive()) {
            warnings.add("--concurrency has no effect: there is no work to do in parallel");
        }
        if (options.ordering != null && !waits) {
            warnings.add("--ordering has no effect: without --work or --via each:CMD the order of partitions is kept");
        }
        return warnings;
    }

    private static void checkGuarantee(PipeOptions options) {
        if (!options.guarantee.equals(PipeOptions.AT_LEAST_ONCE)
                && !options.isAtMostOnce()
                && !options.isExactlyOnce()) {
            throw CliFailure.badValue(
                    "--guarantee",
                    options.guarantee,
                    PipeOptions.AT_LEAST_ONCE + ", " + PipeOptions.AT_MOST_ONCE + " or " + PipeOptions.EXACTLY_ONCE);
        }
        checkExactlyOnce(options);
        if (options.isAtMostOnce() && options.handlesOneByOne()) {
            throw CliFailure.usage(
                    "--guarantee at-most-once does not go with --retry, --timeout, --dead-letter of records one by"
                            + " one, or --via each:CMD",
                    "They are for records that must not be lost.");
        }
    }

    private static void checkExactlyOnce(PipeOptions options) {
        if (options.commitInterval != null && !options.isExactlyOnce()) {
            throw CliFailure.usage(
                    "--commit-interval is for --guarantee exactly-once",
                    "Elsewhere weir.commit.interval in --client-config says how often offsets are committed.");
        }
        if (options.commitInterval != null
                && (options.commitInterval.compareTo(Duration.ofMillis(1)) < 0
                        || options.commitInterval.compareTo(MAX_COMMIT_INTERVAL) > 0)) {
            throw CliFailure.badValue("--commit-interval", options.commitInterval.toMillis() + "ms", "1ms to 20s");
        }
        if (options.isExactlyOnce() && options.produce == PipeOptions.Produce.lean) {
            throw CliFailure.usage(
                    "--guarantee exactly-once does not go with --produce lean",
                    "A lean producer supports no transactions: leave --produce out.");
        }
        if (options.isExactlyOnce()
                && (options.retry != null
                        || options.timeout != null
                        || (options.deadLetter != null && options.isPerRecord()))) {
            String option = options.retry != null ? "--retry" : options.timeout != null ? "--timeout" : "--dead-letter";
            throw CliFailure.usage(
                    "--guarantee exactly-once does not go with " + option + " of records one by one",
                    "A record that fails ends the pipe, and nothing of it becomes visible; --dead-letter goes with"
                            + " --via asimov and exec:CMD, which write dead-letter records in the same transaction.");
        }
    }

    private static void checkRetries(PipeOptions options) {
        if (options.retry != null && (options.retry < 0 || options.retry > PipeOptions.MAX_RETRIES)) {
            throw CliFailure.badValue("--retry", options.retry, "0 to " + PipeOptions.MAX_RETRIES);
        }
        if (options.timeout != null && (!options.timeout.isPositive() || options.timeout.compareTo(MAX_WORK) > 0)) {
            throw CliFailure.badValue("--timeout", options.timeout, "more than 0s and at most 1h");
        }
        boolean works = options.via instanceof Via.Each || options.work.isPositive() || options.workCpu.isPositive();
        if (options.timeout != null && options.via instanceof Via.Identity && !works) {
            throw CliFailure.usage("--timeout has nothing to limit", "It goes with --via each:CMD or --work.");
        }
        if (options.retry != null && options.via instanceof Via.Identity && options.timeout == null) {
            throw CliFailure.usage(
                    "--retry has nothing to repeat: nothing can fail",
                    "It goes with --via each:CMD, or with --work and --timeout.");
        }
        if ((options.retry != null || options.timeout != null) && !options.isPerRecord()) {
            throw CliFailure.usage(
                    (options.retry != null ? "--retry" : "--timeout") + " does not go with --via asimov or exec:CMD",
                    "Use --via each:CMD.");
        }
    }

    private static void checkDuration(String option, Duration value) {
        if (value.compareTo(MAX_WORK) > 0) {
            throw CliFailure.badValue(option, value.toSeconds() + "s", "0s to 1h");
        }
    }
}
