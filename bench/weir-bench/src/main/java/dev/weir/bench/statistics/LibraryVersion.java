package dev.weir.bench.statistics;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import java.lang.module.ModuleDescriptor.Version;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The version of a driver's library. Releases are ordered by number. Commits that do not follow a numbered release come
 * after all releases and are ordered by time. Immutable, thread-safe.
 *
 * @param label the library's version as text
 * @param client the version of kafka-clients; empty if kafka-clients is the library itself, or if its version is
 *     unknown
 * @param number the release; {@link #UNNUMBERED} for a commit that follows no release
 * @param commits the number of commits after that release
 * @param startedAtMillis when a development version was measured; 0 for a release
 */
record LibraryVersion(String label, String client, Version number, int commits, long startedAtMillis)
        implements Comparable<LibraryVersion> {
    private static final Pattern JAR = Pattern.compile("^(.*?)-(\\d[\\w.+-]*)$");
    private static final Pattern DESCRIBED =
            Pattern.compile("^v?(\\d[\\w.+]*?(?:-[A-Z]\\w*)?)(?:-(\\d+)-g[0-9a-f]+)?$");
    private static final String CHECKOUT = "(this checkout)";
    private static final String SNAPSHOT = "-SNAPSHOT";

    /** Sorts after all releases. */
    private static final Version UNNUMBERED = Version.parse("999999");

    private static final Comparator<LibraryVersion> ORDER = Comparator.comparing((LibraryVersion each) -> each.number)
            .thenComparingInt(LibraryVersion::commits)
            .thenComparingLong(LibraryVersion::startedAtMillis)
            .thenComparing(each -> each.label)
            .thenComparing(each -> number(each.client));

    /**
     * Returns the version of a driver in a campaign; null if it is unknown. A driver built from this checkout is
     * labelled with its commit, or with the release number if the commit is tagged as a release.
     */
    static @Nullable LibraryVersion of(Driver driver, Campaign campaign) {
        String[] parts = driver.version().split(", ", 2);
        Matcher client = JAR.matcher(parts.length == 2 ? parts[1] : "");
        String clients = client.matches() && !parts[1].equals(parts[0]) ? client.group(2) : "";
        String commit = campaign.environment().commit();
        long startedAtMillis = campaign.environment().startedAtMillis();
        if (parts[0].endsWith(CHECKOUT)) {
            Matcher release = DESCRIBED.matcher(commit);
            Version number = release.matches() ? number(release.group(1)) : UNNUMBERED;
            if (number.equals(UNNUMBERED)) {
                return new LibraryVersion(commit, clients, UNNUMBERED, 0, startedAtMillis);
            }
            String after = release.group(2);
            String label = commit.startsWith("v") ? commit.substring(1) : commit;
            return new LibraryVersion(label, clients, number, after == null ? 0 : Integer.parseInt(after), 0);
        }
        Matcher jar = JAR.matcher(parts[0]);
        if (!jar.matches()) {
            return null;
        }
        String label = jar.group(2);
        return label.endsWith(SNAPSHOT)
                ? new LibraryVersion(label + " " + commit, clients, number(label), 0, startedAtMillis)
                : new LibraryVersion(label, clients, number(label), 0, 0);
    }

    private static Version number(String text) {
        try {
            return Version.parse(text);
        } catch (IllegalArgumentException e) { // The number is missing or has an unusual form.
            return UNNUMBERED;
        }
    }

    /** Returns the label, with the version of kafka-clients if it is requested and known. */
    String label(boolean withClient) {
        return withClient && !client.isEmpty() ? label + " with kafka-clients " + client : label;
    }

    @Override
    public int compareTo(LibraryVersion other) {
        return ORDER.compare(this, other);
    }
}
