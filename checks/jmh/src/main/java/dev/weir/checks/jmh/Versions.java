package dev.weir.checks.jmh;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/**
 * Compares how fast several versions of Weir read a topic at least once, in one JVM. Each version has its own class
 * loader, so the JIT compiles it separately. The passes of a round are in random order, and the first version has two.
 * A ratio is the geometric mean of the rounds' ratios. Its confidence interval uses Student's t over {@value #PAIRS}
 * averages of consecutive rounds. The A/A row compares both passes of the first version, as a control.
 *
 * <p>Run: {@code checks/jmh/versions.sh}, which prints its usage.
 */
public final class Versions {

    private static final int PAIRS = 20;

    /** Student's t for 95 % and {@value #PAIRS} - 1 degrees of freedom. */
    private static final double STUDENT = 2.093;

    private static final int WARM_UP_ROUNDS = 3;

    private final List<Arm> arms;
    private final Map<String, String> pass;
    private final Random random = new Random();

    /** A version under comparison. */
    private record Arm(
            String name,
            Function<Map<String, String>, long[]> code,
            Map<String, String> settings,
            List<long[]> results) {}

    private Versions(List<Arm> arms, Map<String, String> pass) {
        this.arms = arms;
        this.pass = pass;
    }

    /**
     * Takes {@code ADDRESS TOPIC RECORDS SECONDS NAME=CLASSPATH[,SETTING=VALUE...]...}. Each NAME is a version with its
     * client settings; the first version is the baseline.
     */
    public static void main(String[] args) throws Exception {
        long records = Long.parseLong(args[2]);
        // Leaves out the start and the ends of partitions, where brokers delay their responses.
        Map<String, String> pass = Map.of(
                "bootstrap",
                args[0],
                "topic",
                args[1],
                "from",
                Long.toString(records / 8),
                "to",
                Long.toString(records * 3 / 4));
        List<Arm> arms = new ArrayList<>();
        arms.add(arm("control", args[4]));
        for (String each : Arrays.asList(args).subList(4, args.length)) {
            arms.add(arm(each.substring(0, each.indexOf('=')), each));
        }
        new Versions(arms, pass).run(Long.parseLong(args[3]));
    }

    @SuppressWarnings("unchecked") // VersionPass implements this type
    private static Arm arm(String name, String text) throws Exception {
        String[] parts = text.substring(text.indexOf('=') + 1).split(",");
        URL[] urls = Arrays.stream(parts[0].split(File.pathSeparator))
                .map(Versions::url)
                .toArray(URL[]::new);
        Map<String, String> settings = new HashMap<>();
        for (String each : Arrays.asList(parts).subList(1, parts.length)) {
            settings.put(":" + each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        // Stays open until the JVM exits.
        ClassLoader loader = new URLClassLoader(name, urls, ClassLoader.getPlatformClassLoader());
        Object code = loader.loadClass("dev.weir.checks.jmh.VersionPass")
                .getConstructor()
                .newInstance();
        return new Arm(name, (Function<Map<String, String>, long[]>) code, settings, new ArrayList<>());
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    private void run(long seconds) {
        long endNanos = System.nanoTime() + seconds * 1_000_000_000;
        System.out.println("milliseconds by the clock, and of processor time: "
                + arms.stream().map(Arm::name).toList());
        for (int round = -WARM_UP_ROUNDS; System.nanoTime() < endNanos; round++) {
            List<Arm> order = new ArrayList<>(arms);
            Collections.shuffle(order, random);
            for (Arm arm : order) {
                Map<String, String> settings = new HashMap<>(pass);
                settings.putAll(arm.settings());
                settings.put("group", "versions-" + System.nanoTime());
                long[] result = arm.code().apply(settings);
                if (round >= 0) {
                    arm.results().add(result);
                }
            }
            if (round >= 0) {
                StringBuilder line = new StringBuilder("round");
                for (int value = 0; value < 2; value++) {
                    for (Arm arm : arms) {
                        line.append(' ').append(arm.results().getLast()[value] / 1_000_000);
                    }
                }
                System.out.println(line);
            }
        }
        print("rate", 0, -1);
        print("processor time", 1, 1);
    }

    /**
     * Prints the A/A ratio of the first version, and the ratio of each other version to the mean of both arms of the
     * first.
     *
     * @param value the index of the compared value in the result of a pass
     * @param sign 1 for the ratio, -1 for its inverse
     */
    private void print(String what, int value, int sign) {
        double[] control = logarithms(arms.get(0), value, sign);
        double[] first = logarithms(arms.get(1), value, sign);
        double[] both = new double[first.length];
        for (int i = 0; i < both.length; i++) {
            both[i] = (first[i] + control[i]) / 2;
        }
        System.out.println(what + ", A/A: " + ratio(control, first));
        for (Arm arm : arms.subList(2, arms.size())) {
            System.out.println(
                    what + ", " + arm.name() + " by both of the first: " + ratio(logarithms(arm, value, sign), both));
        }
    }

    private static double[] logarithms(Arm arm, int value, int sign) {
        return arm.results().stream()
                .mapToDouble(result -> sign * Math.log((double) result[value]))
                .toArray();
    }

    private static String ratio(double[] of, double[] by) {
        int each = of.length / PAIRS;
        if (each == 0) {
            return "unknown: " + of.length + " rounds are too few for " + PAIRS + " pairs";
        }
        double[] pairs = new double[PAIRS];
        double mean = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            for (int i = pair * each; i < (pair + 1) * each; i++) {
                pairs[pair] += (of[i] - by[i]) / each;
            }
            mean += pairs[pair] / PAIRS;
        }
        double squares = 0;
        for (double pair : pairs) {
            squares += (pair - mean) * (pair - mean);
        }
        double half = STUDENT * Math.sqrt(squares / (PAIRS - 1) / PAIRS);
        return String.format(
                Locale.ROOT,
                "%.3f [%.3f, %.3f] (%d pairs of %d)",
                Math.exp(mean),
                Math.exp(mean - half),
                Math.exp(mean + half),
                PAIRS,
                each);
    }
}
