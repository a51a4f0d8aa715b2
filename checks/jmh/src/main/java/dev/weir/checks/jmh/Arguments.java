package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import java.util.List;
import java.util.Random;

/** The command line of a program of {@link PairedRounds}: words in a fixed order. Immutable. */
final class Arguments {
    private static final String OF_WRITER = "HOST:PORT PARTITIONS BYTES RECORDS [N]";
    private static final String OF_READER = "HOST:PORT TOPIC PARTITIONS RECORDS [N]";

    final String bootstrap;

    /** Topic that is read; empty if none is. */
    final String topic;

    /** Partitions of the topic that is read, or of each that is written. */
    final int partitions;

    /** Bytes of a value that is written. */
    final int valueBytes;

    /** Records of a pass. */
    final long records;

    final int rounds;

    private Arguments(String usage, String[] args, int unlessGiven) {
        List<String> names = List.of(usage.split(" "));
        if (args.length < names.size() - 1 || args.length > names.size()) {
            throw new IllegalArgumentException("wanted: " + usage + "; given: " + List.of(args));
        }
        bootstrap = args[0];
        topic = names.contains("TOPIC") ? args[names.indexOf("TOPIC")] : "";
        partitions = number(names, args, "PARTITIONS", 0);
        valueBytes = number(names, args, "BYTES", 0);
        records = number(names, args, "RECORDS", 0);
        rounds = number(names, args, "[N]", unlessGiven);
    }

    /**
     * Parses the arguments of a writer: HOST:PORT PARTITIONS BYTES RECORDS [N].
     *
     * @param rounds how many, unless the command line says it
     */
    static Arguments ofWriter(String[] args, int rounds) {
        return new Arguments(OF_WRITER, args, rounds);
    }

    /**
     * Parses the arguments of a reader: HOST:PORT TOPIC PARTITIONS RECORDS [N].
     *
     * @param rounds how many, unless the command line says it
     */
    static Arguments ofReader(String[] args, int rounds) {
        return new Arguments(OF_READER, args, rounds);
    }

    private static int number(List<String> names, String[] args, String name, int unlessGiven) {
        int at = names.indexOf(name);
        if (at < 0 || at >= args.length) {
            return unlessGiven;
        }
        int number = Integer.parseInt(args[at]);
        if (number < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + args[at]);
        }
        return number;
    }

    /** The value of each record, the same each time, which does not compress. */
    byte[] value() {
        byte[] value = new byte[valueBytes];
        new Random(1).nextBytes(value);
        return value;
    }

    /**
     * Runs the rounds and prints a table.
     *
     * @param counted how many records of a pass count
     */
    void compare(long counted, Arm baseline, Arm... others) throws Exception {
        new PairedRounds(bootstrap, partitions, counted, baseline, others).compare(rounds);
    }
}
