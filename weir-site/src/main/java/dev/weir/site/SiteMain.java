package dev.weir.site;

import java.io.IOException;
import java.nio.file.Path;

/** The entry point of the build. */
public final class SiteMain {

    private SiteMain() {}

    /**
     * Makes the site.
     *
     * @param arguments the project's folder, the folder of all versions, the version to make, {@code true}
     *     to ask for each external link whether it leads somewhere, and {@code true} if the Javadoc of each published
     *     module must be there
     * @throws SiteException if a page, a link or an anchor is at fault: names each with file and line; if a module's
     *     Javadoc is missing
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 5) {
            throw new IllegalArgumentException("usage: SiteMain PROJECT SITE VERSION ASK_EXTERNAL_LINKS WITH_JAVADOC");
        }
        Site site = new Site(
                Path.of(arguments[0]), Path.of(arguments[1]), arguments[2], Boolean.parseBoolean(arguments[4]));
        site.make();
        if (Boolean.parseBoolean(arguments[3])) {
            ExternalLinks.check(site.externalLinks());
        }
    }
}
