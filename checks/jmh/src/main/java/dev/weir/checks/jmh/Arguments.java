package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import java.util.List;
import java.util.Random;

/** The positional command-line arguments of a program based on {@link PairedRounds}. Immutable. */
final class Arguments {
    private static final String OF_WRITER = "HOST:PORT PARTITIONS BYTES RECORDS [N]";
    private static final String OF_READER = "HOST:PORT TOPIC PARTITIONS RECORDS [N]";

    final String bootstrap;

    /** The topic to read; empty for a writer. */
    final String topic;

    /** The number of partitions of the input topic, or of each output topic. */
    final int partitions;

    /** The size of a written value in bytes. */
    final int valueBytes;

    /** The number of records per pass. */
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
     * @param rounds the number of rounds if the command line has no N
     */
    static Arguments ofWriter(String[] args, int rounds) {
        return new Arguments(OF_WRITER, args, rounds);
    }

    /**
     * Parses the arguments of a reader: HOST:PORT TOPIC PARTITIONS RECORDS [N].
     *
     * @param rounds the number of rounds if the command line has no N
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

    /** Returns the value of every record. It is incompressible. */
    byte[] value() {
        byte[] value = new byte[valueBytes];
        new Random(1).nextBytes(value);
        return value;
    }

    /**
     * Runs the rounds and prints a table.
     *
     * @param counted the number of timed records per pass
     */
    void compare(long counted, Arm baseline, Arm... others) throws Exception {
        new PairedRounds(bootstrap, partitions, counted, baseline, others).compare(rounds);
    }
}
