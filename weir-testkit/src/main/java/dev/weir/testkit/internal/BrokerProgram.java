package dev.weir.testkit.internal;

import dev.weir.testkit.internal.disk.DiskFaults;
import dev.weir.testkit.internal.disk.FaultyDiskProvider;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The program of a forked broker, as arguments of {@code java} after those that bound its memory. Immutable.
 *
 * @param format formats the broker's folder and ends; empty if there is nothing to format
 * @param serve runs the broker
 */
public record BrokerProgram(List<String> format, List<String> serve) {

    /**
     * An archive of classes (class data sharing) that children read theirs from, if it fits: a third of the processor
     * time of a start. It is of the jars in this JVM's class path. Empty for none.
     */
    private static final String ARCHIVE = System.getProperty("weir.testkit.archive", "");

    public BrokerProgram {
        format = List.copyOf(format);
        serve = List.copyOf(serve);
    }

    /** The server on this JVM's class path, whose folder is formatted. */
    public static BrokerProgram ofThisJvm(Path settingsFile) {
        List<String> serve = new ArrayList<>();
        if (hasArchive()) {
            serve.add("-XX:SharedArchiveFile=" + ARCHIVE);
        }
        serve.addAll(List.of("-cp", classPath(), BrokerMain.class.getName(), settingsFile.toString()));
        return new BrokerProgram(List.of(), serve);
    }

    /** The same program, whose files below that folder are on a disk that can fail. */
    public BrokerProgram onFaultyDisk(Path dataFolder) {
        List<String> faulty = new ArrayList<>();
        faulty.add("-Djava.nio.file.spi.DefaultFileSystemProvider=" + FaultyDiskProvider.class.getName());
        faulty.add("-D" + DiskFaults.DIRECTORY + "=" + dataFolder.toAbsolutePath());
        faulty.addAll(serve);
        return new BrokerProgram(format, faulty);
    }

    private static boolean hasArchive() {
        return !ARCHIVE.isEmpty() && Files.isRegularFile(Path.of(ARCHIVE));
    }

    /** This JVM's class path; of a modular one, the module path too: the child needs no modules. */
    private static String classPath() {
        String classPath = System.getProperty("java.class.path", "");
        String modulePath = System.getProperty("jdk.module.path", "");
        String all = modulePath.isEmpty() ? classPath : classPath + File.pathSeparator + modulePath;
        if (!hasArchive()) {
            return all;
        }
        // The JVM wants the class path of the archive, which can have no folders, as the first part of the child's.
        return Stream.of(all.split(File.pathSeparator))
                .sorted(Comparator.comparing(each -> !Files.isRegularFile(Path.of(each))))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
