package blob

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"gocloud.dev/gcerrors"
	"google.golang.org/api/googleapi"
)

// named adds an address to an error.
func named(address string, err error) error { return fmt.Errorf("%s: %w", address, err) }

// explain says in a few words why a store refuses a request, as the texts of client libraries are long.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if e := (*net.DNSError)(nil); errors.As(err, &e) { // for Azure's provider a container that is not there
		return refusal{fmt.Sprintf("there is no server %s, check the account or the address", e.Name), e}
	}
	if strings.Contains(err.Error(), "DefaultAzureCredential") { // of a type that is not exported, in ten lines
		return refusal{"no credentials for Azure: set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or " +
			"AZURE_STORAGE_CONNECTION_STRING", err}
	}
	if e := (*url.Error)(nil); errors.As(err, &e) { // without the address, in which there may be a signature
		return refusal{"the request failed: " + e.Err.Error(), err}
	}
	why := reason(err)
	code := gcerrors.Code(err)
	if e := (*awshttp.ResponseError)(nil); errors.As(err, &e) && e.HTTPStatusCode() == http.StatusForbidden {
		code = gcerrors.PermissionDenied
	}
	switch code {
	case gcerrors.NotFound:
		return refusal{"there is no such object or bucket" + why, fs.ErrNotExist}
	case gcerrors.PermissionDenied:
		return refusal{"no access, check the credentials" + why, fs.ErrPermission}
	}
	if why != "" {
		return refusal{"the store refuses the request" + why, err}
	}
	return err
}

// reason returns what the store answered.
func reason(err error) string {
	if e := smithy.APIError(nil); errors.As(err, &e) {
		text := " (" + e.ErrorCode()
		if e.ErrorMessage() != "" {
			text += ": " + e.ErrorMessage()
		}
		return text + ")"
	}
	if e := (*googleapi.Error)(nil); errors.As(err, &e) {
		return fmt.Sprintf(" (%d: %s)", e.Code, e.Message)
	}
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) {
		return fmt.Sprintf(" (%d: %s)", e.StatusCode, cmp.Or(e.ErrorCode, http.StatusText(e.StatusCode)))
	}
	return ""
}

// A refusal is an error with a shorter text.
type refusal struct {
	text string
	error
}

func (r refusal) Error() string { return r.text }

func (r refusal) Unwrap() error { return r.error }
