/**
 * Makes the documents of the project into a site of static pages: Markdown comes in, a folder that opens from a
 * disk or a web server goes out. Runs in the build, on the build's thread.
 */
@NullMarked
package dev.weir.site;

import org.jspecify.annotations.NullMarked;
