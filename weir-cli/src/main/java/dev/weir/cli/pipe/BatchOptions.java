package dev.weir.cli.pipe;

import dev.weir.command.client.OptionNames;
import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSettings.UnreadableBatches;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.ShareSettings;
import dev.weir.stream.spi.Thrown;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code weir pipe} for unreadable batches. Only picocli sets the fields. */
final class BatchOptions {

    private static final int LEAST = 64 * 1024;
    private static final int MOST = 1 << 30;

    /** The treatment of an unreadable batch. */
    enum Unreadable {
        FAIL(UnreadableBatches.FAIL),
        SKIP(UnreadableBatches.SKIP),
        DEAD_LETTER(UnreadableBatches.DEAD_LETTER);

        private final UnreadableBatches policy;

        Unreadable(UnreadableBatches policy) {
            this.policy = policy;
        }

        /** The name on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Option(
            names = "--unreadable-batches",
            paramLabel = "HOW",
            converter = UnreadableConverter.class,
            description =
                    "Answer to a batch that is larger than --max-batch-bytes, or corrupt: fail, skip (left out, with"
                            + " a warning in the log) or dead-letter. Default: dead-letter with --dead-letter of records one by"
                            + " one, and without --share, else fail.")
    @Nullable
    Unreadable unreadable;

    @Option(
            names = "--max-batch-bytes",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "What a batch of --fetch lean may become decompressed, and a record of --fetch client, 64KB to"
                            + " 1GB. Default: a quarter of the heap, and at most 64MB with --fetch lean.")
    @Nullable
    Long maxBytes;

    /** Refuses options that contradict each other or are out of bounds. */
    void check(PipeOptions options) {
        if (maxBytes != null && (maxBytes < LEAST || maxBytes > MOST)) {
            throw CliFailure.badValue("--max-batch-bytes", maxBytes, "64KB to 1GB");
        }
        if (options.sharing.share && (unreadable != null || maxBytes != null)) {
            if (options.fetch == PipeOptions.Fetch.client) {
                throw CliFailure.usage(
                        (unreadable != null ? "--unreadable-batches" : "--max-batch-bytes")
                                + " with --share goes with --fetch lean",
                        "Kafka's share consumers reject damaged batches by themselves.");
            }
        }
        if (unreadable == Unreadable.DEAD_LETTER && (options.deadLetter == null || !options.handlesOneByOne())) {
            throw CliFailure.usage(
                    "--unreadable-batches dead-letter goes with --dead-letter of records one by one",
                    "Use --via identity or each:CMD, or skip.");
        }
    }

    ConsumerSettings<byte[], byte[]> apply(ConsumerSettings<byte[], byte[]> settings) {
        var builder = settings.toBuilder();
        if (maxBytes != null) {
            builder.maxBatchBytes(maxBytes);
        }
        if (unreadable != null) {
            builder.unreadableBatches(unreadable.policy);
        }
        return builder.build();
    }

    ShareSettings.Builder<byte[], byte[]> apply(ShareSettings.Builder<byte[], byte[]> settings) {
        if (maxBytes != null) {
            settings.maxBatchBytes(maxBytes);
        }
        if (unreadable != null) {
            settings.unreadableBatches(unreadable.policy);
        }
        return settings;
    }

    /** Returns the failure for an unreadable batch, with the options that let the pipe continue. */
    static CliFailure failure(RecordDecodeException failure) {
        Throwable cause = failure.getCause();
        return CliFailure.work(
                "a batch cannot be read: " + OptionNames.in(Thrown.reason(cause == null ? failure : cause)),
                "Nothing is lost: the pipe stopped before it. --unreadable-batches skip leaves it out,"
                        + " --unreadable-batches dead-letter with --dead-letter TOPIC puts it aside"
                        + " (with --via identity or each:CMD), --max-batch-bytes allows larger ones.",
                failure);
    }

    /** Converts the value of {@code --unreadable-batches}. Stateless. */
    static final class UnreadableConverter implements ITypeConverter<Unreadable> {

        @Override
        public Unreadable convert(String text) {
            for (Unreadable each : Unreadable.values()) {
                if (each.toString().equals(text)) {
                    return each;
                }
            }
            throw new TypeConversionException("'" + text + "' is none of fail, skip, dead-letter");
        }
    }

    /** Converts the value of {@code --max-batch-bytes}. Stateless. */
    static final class SizeConverter implements ITypeConverter<Long> {

        private static final Pattern SIZE = Pattern.compile("([0-9]{1,10}) *(|KB|MB|GB)", Pattern.CASE_INSENSITIVE);

        @Override
        public Long convert(String text) {
            Matcher size = SIZE.matcher(text);
            if (!size.matches()) {
                throw new TypeConversionException("'" + text + "' is not a size like 65536, 64KB, 16MB or 1GB");
            }
            int shift = switch (size.group(2).toUpperCase(Locale.ROOT)) {
                case "KB" -> 10;
                case "MB" -> 20;
                case "GB" -> 30;
                default -> 0;
            };
            return Long.parseLong(size.group(1)) << shift;
        }
    }
}
